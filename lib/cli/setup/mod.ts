/** Set-up of the Python environments; imports nothing that has to be downloaded. @module */
export * from "./build.ts";
export * from "./display.ts";
export * from "./environments.ts";
export * from "./error.ts";
export * from "./lock.ts";
export * from "./pip.ts";
export * from "./pip_error.ts";
export * from "./pip_output.ts";
export * from "./python.ts";
export * from "./run.ts";
export * from "./setup.ts";
export * from "./stamp.ts";
export * from "./torch.ts";
