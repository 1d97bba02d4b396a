/**
 * SVG to PNG through resvg-wasm with the DejaVu fonts of npm; needs read permission for both packages.
 * @module
 */
import { initWasm, Resvg } from "@resvg/resvg-wasm";
// Brings the fonts into the module graph: Deno then fetches them with everything else and knows where they lie.
import fonts from "dejavu-fonts-ttf/package.json" with { type: "json" };

/** A renderer whose fonts and machine code are loaded. */
export interface PngRenderer {
  /** PNG bytes of a stand-alone SVG. @default scale 2 */
  render(svg: string, options?: { scale?: number }): Uint8Array<ArrayBuffer>;
}

let started: Promise<PngRenderer> | undefined;

/**
 * Loads once a process: WebAssembly cannot be initialised twice.
 *
 * ```ts ignore
 * import { pngRenderer } from "@spade/spade";
 *
 * const renderer = await pngRenderer();
 * const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="9"/></svg>';
 * Deno.writeFileSync("corner.png", renderer.render(svg, { scale: 4 }));
 * ```
 */
export function pngRenderer(): Promise<PngRenderer> {
  started ??= load();
  return started;
}

async function load(): Promise<PngRenderer> {
  const read = (path: string) => {
    const url = import.meta.resolve(path);
    if (url.startsWith("file:")) return Deno.readFile(new URL(url));
    throw new Error(
      `Cannot draw PNG: ${path} is not installed (fonts ${fonts.version}), must be; run deno install`,
    );
  };
  const [wasm, ...fontBuffers] = await Promise.all([
    read("@resvg/resvg-wasm/index_bg.wasm"),
    read("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
    read("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"),
  ]);
  await initWasm(wasm);
  const family = "DejaVu Sans";
  const font = { fontBuffers, defaultFontFamily: family, sansSerifFamily: family };
  return {
    render(svg, { scale = 2 } = {}) {
      const image = new Resvg(svg, { fitTo: { mode: "zoom", value: scale }, font });
      const rendered = image.render();
      const png = new Uint8Array(rendered.asPng());
      rendered.free();
      image.free();
      return png;
    },
  };
}
