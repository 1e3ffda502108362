// node start-times.mjs PROGRAM ROUNDS: starts of PROGRAM until its first line, and of a bare node, turn about; milliseconds
// as JSON. A process of its own and plain JavaScript, because a child of a large process starts more slowly.
import { spawn } from "node:child_process";

const [program, rounds] = process.argv.slice(2);

const took = (command, args) =>
  new Promise((done, fail) => {
    const begun = performance.now();
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
    let line;
    child.on("error", fail);
    child.stdout.once("data", () => {
      line = performance.now();
      child.kill("SIGKILL");
    });
    child.once("exit", () => done((line ?? performance.now()) - begun));
  });

const times = { bare: [], program: [] };
for (let round = 0; round < Number(rounds); round += 1) {
  times.bare.push(await took(process.execPath, ["-e", "0"]));
  times.program.push(await took(program, []));
}
console.log(JSON.stringify(times));
