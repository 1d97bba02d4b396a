/**
 * What JupyterLab's page may do. Outputs are drawn in that page, which holds the keys of the whole server: a script among
 * them could start a terminal, or a kernel without walls, and a picture's address could carry data away. So only
 * JupyterLab's own scripts run, and nothing is asked of other hosts.
 * @module
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { inspectScript } from "../../show/mod.ts";

/** The page's Content-Security-Policy, for JupyterLab in the Python environment `environment`. */
export async function pagePolicy(environment: string, port: number): Promise<string> {
  const index = path.join(environment, "share", "jupyter", "lab", "static", "index.html");
  const own = fs.readFileSync(index, "utf8").matchAll(/<script>(.*?)<\/script>/gs);
  // the inspector's frames take over the policy of the page around them
  const scripts = [...[...own].map(([, script]) => script), inspectScript];
  const hashes = await Promise.all(scripts.map(sourceHash));
  return [
    "default-src 'self' data: blob:",
    // JupyterLab checks its settings, and Vega its formulas, by code made from text
    `script-src 'self' 'unsafe-eval' ${hashes.join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' data: ws://127.0.0.1:${port}`,
    "worker-src 'self' blob:",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join("; ");
}

async function sourceHash(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${new Uint8Array(bytes).toBase64()}'`;
}
