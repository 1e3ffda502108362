// Follows a file that grows, line by line.
import { closeSync, openSync, readSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

export interface Tail {
  /** Reads what is still there, then ends. */
  stop(): Promise<void>;
}

export function followLines(path: string, line: (line: string) => void): Tail {
  const file = openSync(path, "r");
  const decoder = new StringDecoder("utf8");
  const buffer = Buffer.alloc(64 * 1024);
  let offset = 0;
  let rest = "";
  const read = (): void => {
    for (;;) {
      const bytes = readSync(file, buffer, 0, buffer.length, offset);
      if (bytes === 0) return;
      offset += bytes;
      const lines = (rest + decoder.write(buffer.subarray(0, bytes))).split("\n");
      rest = lines.pop() ?? "";
      for (const text of lines) line(text);
    }
  };
  const timer = setInterval(read, 100);
  return {
    async stop() {
      clearInterval(timer);
      read();
      if (rest) line(rest);
      closeSync(file);
    },
  };
}
