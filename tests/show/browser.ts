/** A headless Chromium for pages: what it says on its console, asks of the network, and what axe finds. */
import * as fs from "node:fs";
import * as path from "node:path";
import axe from "axe-core";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** A Chromium of this machine; undefined: there is none. */
export function findChromium(): string | undefined {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  return [
    ...folders.flatMap((folder) => names.map((name) => path.join(folder, name))),
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  ].find((file) => fs.existsSync(file));
}

/** A browser; close it. */
export function launch(executablePath: string): Promise<Browser> {
  // Chromium's own wall needs what a container may not give; the pages are ours.
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  return puppeteer.launch({ executablePath, headless: true, args });
}

export interface View {
  width: 1280 | 400;
  scheme: "light" | "dark";
}

export const views: View[] = [
  { width: 1280, scheme: "light" },
  { width: 1280, scheme: "dark" },
  { width: 400, scheme: "light" },
  { width: 400, scheme: "dark" },
];

/** A page that was opened, and what it did. */
export interface Opened extends AsyncDisposable {
  page: Page;
  /** Console messages, errors, dialogs and refusals. */
  said: string[];
  /** Addresses asked for, but for the file itself. */
  asked: string[];
}

export async function open(
  browser: Browser,
  file: string,
  { width, scheme, script = true }: View & { script?: boolean },
): Promise<Opened> {
  const page = await browser.newPage();
  const said: string[] = [], asked: string[] = [];
  const address = `file://${path.resolve(file)}`;
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("dialog", async (dialog) => {
    said.push(`dialog ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("request", (request) => {
    if (request.url() !== address) asked.push(request.url());
  });
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.setJavaScriptEnabled(script);
  await page.goto(address);
  return { page, said, asked, [Symbol.asyncDispose]: () => page.close() };
}

/** Findings of axe that are serious or critical, one a line. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")))`;
  return await page.evaluate(run) as string[];
}

/** How far the page reaches beyond its window, in pixels. */
export async function overflow(page: Page): Promise<number> {
  return await page.evaluate("document.documentElement.scrollWidth - innerWidth") as number;
}
