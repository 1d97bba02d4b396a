/** Waits for all, then throws the first error: nothing is left running behind it. @module */
export async function settled<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  const bad = results.find((result) => result.status === "rejected");
  if (bad) throw bad.reason;
  return results.map((result) => (result as PromiseFulfilledResult<T>).value);
}
