/** A terminal that understands what the live view sends: enough to see what a user would see. */
export class Screen {
  rows: string[][] = [[]];
  row = 0;
  column = 0;
  cursorVisible = true;
  #rest = "";

  write(text: string): void {
    let at = 0;
    const input = this.#rest + text;
    while (at < input.length) {
      // deno-lint-ignore no-control-regex
      const escape = /^\x1b\[(\??)(\d*)([A-Za-z])/.exec(input.slice(at));
      if (escape) {
        this.#control(escape[1] + escape[3], escape[2]);
        at += escape[0].length;
        continue;
      }
      const c = String.fromCodePoint(input.codePointAt(at)!);
      at += c.length;
      if (c === "\n") [this.row, this.column] = [this.row + 1, 0];
      else if (c === "\r") this.column = 0;
      else this.#line()[this.column++] = c;
    }
  }

  get text(): string {
    return this.rows.map((row) => Array.from(row, (c) => c ?? " ").join("").trimEnd()).join("\n")
      .trimEnd();
  }

  #line(): string[] {
    while (this.rows.length <= this.row) this.rows.push([]);
    return this.rows[this.row];
  }

  #control(name: string, argument: string): void {
    if (name === "A") this.row = Math.max(0, this.row - Number(argument || 1));
    else if (name === "K") this.#line().length = this.column;
    else if (name === "J") {
      this.#line().length = this.column;
      this.rows.length = this.row + 1;
    } else if (argument === "25") this.cursorVisible = name === "?h";
    else if (name !== "m" && argument !== "2026") throw new Error(`unknown escape ${name}`);
  }
}
