/** Text to ids and back: the tokenizer of a model and the chat forms over it. @module */
export * from "./chat.ts";
export * from "./template.ts";
export * from "./tokenizer.ts";
