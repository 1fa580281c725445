import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "../../../test/rig/host.ts";
import { realHost } from "../host/host.ts";
import { readIssue } from "./gh-issue.ts";

const PATH = process.env["PATH"] ?? "";

/** A program called gh that does this. */
function hostWith(script: string) {
  const folder = newFolder();
  writeFileSync(join(folder, "gh"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { host: realHost({ PATH: `${folder}:${PATH}` }), cwd: folder };
}

test("a gh that hangs is ended, and that is said", async () => {
  const { host, cwd } = hostWith("exec sleep 60");
  const answer = await readIssue(host, { reference: "7", cwd, timeoutMs: 200 });
  expect(answer).toMatchObject({
    ok: false,
    error: { problem: expect.stringMatching(/in time/u) as string },
  });
});

test("what gh leaves out is empty", async () => {
  const { host, cwd } = hostWith(
    `echo '{"number": 7, "title": "T", "body": null, "url": "u", "comments": [{"author": null, "body": "x"}]}'`,
  );
  expect(await readIssue(host, { reference: "#7", cwd })).toEqual({
    ok: true,
    value: {
      number: 7,
      title: "T",
      body: "",
      url: "u",
      labels: [],
      comments: [{ author: "somebody", body: "x" }],
    },
  });
});
