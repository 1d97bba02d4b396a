/** Rules for tokens and their switch. @module */

/** Shades get darker (in the dark theme lighter) the less likely a token was. */
export const tokensStyle = `
:root{--q1:#fbe6d2;--q2:#f3c08f;--q3:#cf7a33;--q4:#6f2f00;--q1-ink:#1b1b1d;--q2-ink:#1b1b1d;--q3-ink:#1b1b1d;--q4-ink:#fff}
@media (prefers-color-scheme:dark){:root{--q1:#3a2716;--q2:#6d4419;--q3:#c98443;--q4:#ffe0bd;--q1-ink:#e9e9e6;
--q2-ink:#f4f4f1;--q3-ink:#15171a;--q4-ink:#15171a}}
.view{border:1px solid var(--spade-rule);border-radius:4px;margin:.8em 0;padding:4px 12px 8px;min-width:0}
.view legend{color:var(--spade-muted);font-size:.86em;padding:0 4px}
.view label{display:inline-block;padding:4px 14px 4px 0;cursor:pointer}
.view .key{display:none;font-size:.86em;margin:.3em 0;line-height:2}
.view .key span{display:inline-block;margin-right:12px;line-height:1.5}
body:has(#view-logp:checked) .key.logp,body:has(#view-mask:checked) .key.mask{display:block}
.tokens{display:none;white-space:pre-wrap;overflow-wrap:anywhere;margin:.25em 0;padding:6px 8px;max-height:28em;overflow:auto;
border:1px solid var(--spade-rule);border-radius:4px}
.tokens,.key b{font:13px/1.75 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
body:has(#view-logp:checked) .tokens,body:has(#view-mask:checked) .tokens{display:block}
body:has(#view-logp:checked) .seen.too,body:has(#view-logp:checked) .said.too,
body:has(#view-mask:checked) .seen.too,body:has(#view-mask:checked) .said.too{display:none}
.tokens b,.key b{font-weight:400;border-radius:2px;padding:1px 0;margin-right:1px;border-bottom:1px solid transparent}
.tokens b.r,.key b.r{color:var(--spade-muted);border-bottom:1px dotted var(--spade-muted)}
.tokens b.z{font-style:italic}
.tokens b.on{outline:2px solid var(--spade-first);outline-offset:1px}
.s0{border-bottom-color:var(--spade-rule)!important}
.s1{background:var(--q1);color:var(--q1-ink)}.s2{background:var(--q2);color:var(--q2-ink)}
.s3{background:var(--q3);color:var(--q3-ink)}.s4{background:var(--q4);color:var(--q4-ink)}
body:has(#view-mask:checked) .trained b[class^=s]{background:var(--spade-first);color:var(--spade-paper)}
body:has(#view-mask:checked) .untrained b[class^=s]{background:none;color:inherit;
box-shadow:inset 0 0 0 1px var(--spade-first)}
#token{position:fixed;left:0;right:0;bottom:0;margin:0;padding:8px 16px;max-width:none;background:var(--spade-paper);
border-top:2px solid var(--spade-first);font-size:.93em;overflow-wrap:anywhere}
#token:empty{display:none}
`;
