/**
 * A child that writes a run until it is killed. Arguments: folder, mode. `commits`: one transaction
 * after another, each told on stdout once committed. `inside`: stops in the middle of a
 * transaction. `copy`: copies again and again.
 * `read`: needs read permission only; tells the number of plays and ends.
 */
import { checkpointCopy, Store } from "../../lib/store/mod.ts";
import { fill, recordOf } from "./fixtures.ts";

const [dir, mode] = Deno.args;
const encoder = new TextEncoder();
const tell = (text: string) => Deno.stdout.writeSync(encoder.encode(text + "\n"));
const store = Store.open(dir, { readonly: mode === "read" });

if (mode === "commits") {
  for (let i = store.head.sequence - 1;; i++) {
    fill(store, i, i + 1);
    tell(String(store.head.sequence));
  }
}
if (mode === "inside") {
  store.transaction(() => {
    for (let i = 0; i < 5000; i++) store.insert("turn", recordOf("turn", `inside${i}`));
    tell("inside");
    for (;;);
  });
}
if (mode === "copy") {
  for (let i = 0;; i++) {
    fill(store, store.head.sequence - 1, store.head.sequence);
    tell(`copy ${i}`);
    await checkpointCopy(store, `c${store.head.sequence}`);
  }
}
if (mode === "read") tell(String(store.count("play")));
