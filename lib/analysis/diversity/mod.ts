/** Diversity of programs: kernels, Vendi scores, duplicates, collapse and novelty. @module */
export * from "./by_epoch.ts";
export * from "./dual.ts";
export { eigenvalues } from "./eigenvalues.ts";
export * from "./estimate_vendi.ts";
export { tokenKernel, tokensOf, treeKernel, vectorKernel } from "./kernels.ts";
export * from "./near.ts";
export * from "./novelty.ts";
export * from "./sentences.ts";
export * from "./sequence.ts";
export * from "./subsamples.ts";
export { entryAt, submatrix, type Symmetric, symmetricOf } from "./symmetric.ts";
export { type Kernel, spectrumOf, type SpectrumOptions, vendiOf, vendiScore } from "./vendi.ts";
