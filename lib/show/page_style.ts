/** The style sheet of every page. @module */

/** Layout, tables, figures and code; colours are the variables of `style.ts`. */
export const pageStyle = `
*{box-sizing:border-box}
body{margin:0;background:var(--spade-paper);color:var(--spade-ink);font:15px/1.5 system-ui,"DejaVu Sans",sans-serif}
main{max-width:1000px;margin:0 auto;padding:16px 20px 60px}
h1{font-size:1.6em;line-height:1.25;margin:.6em 0 .4em;overflow-wrap:anywhere}
h2{font-size:1.2em;margin:1.8em 0 .5em;padding-bottom:.2em;border-bottom:1px solid var(--spade-rule)}
h3{font-size:1em;margin:1.2em 0 .3em}
p{margin:.5em 0;max-width:75ch;overflow-wrap:anywhere}
a{color:var(--spade-first)}
.muted{color:var(--spade-muted)}
.warn{color:var(--spade-warning);font-weight:600}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:6px 18px;margin:.6em 0}
.facts dt{color:var(--spade-muted);font-size:.82em}
.facts dd{margin:0;overflow-wrap:anywhere;font-weight:600}
.scroll{overflow-x:auto;margin:.6em 0}
.tall{max-height:420px;overflow-y:auto;border:1px solid var(--spade-rule)}
.tall thead th{position:sticky;top:0;background:var(--spade-paper)}
table{border-collapse:collapse;font-size:.9em;font-variant-numeric:tabular-nums}
.long td:last-child{min-width:15em;overflow-wrap:anywhere}
th,td{padding:4px 10px;text-align:left;vertical-align:top;border-bottom:1px solid var(--spade-rule)}
th{font-weight:600;border-bottom:2px solid var(--spade-muted)}
td.n,th.n{text-align:right}td.n{white-space:nowrap}
figure{margin:1em 0 1.6em}
figure svg{max-width:100%;height:auto;display:block}
.narrow{display:none}
details{margin:.5em 0}
summary{cursor:pointer;overflow-wrap:anywhere}
.words{font-size:.85em;color:var(--spade-muted);max-height:16em;overflow:auto;white-space:pre-line}
pre{margin:.4em 0;padding:10px 12px;overflow:auto;max-height:36em;background:var(--spade-band);border-radius:4px;
font:13px/1.45 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;tab-size:4}
pre.wrap{white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--spade-first);outline-offset:2px}
@media (max-width:640px){
main{padding:8px 12px 40px}body{font-size:14px}
.wide{display:none}.narrow{display:block}
.facts{grid-template-columns:repeat(auto-fill,minmax(140px,1fr))}
th,td{padding:4px 5px}table{font-size:.85em}td.n{white-space:normal}
}
nav.contents{display:flex;flex-wrap:wrap;gap:2px 16px;margin:.8em 0;font-size:.93em}
nav.contents a{padding:4px 0}
@media print{nav.contents{display:none}.tall,pre{max-height:none}}
`;
