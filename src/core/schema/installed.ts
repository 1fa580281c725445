// What `ralph install --global` has written, so that it can be taken away again exactly.

import * as z from "zod/mini";

export const Installed = z.object({
  v: z.literal(1),
  /** Files below ~/.ralph and the checksum of what was written; one that differs now has been changed by its owner. */
  files: z.array(z.object({ path: z.string(), sum: z.string() })),
  /** The shell's start file that got a block. */
  startFile: z.optional(
    z.object({
      path: z.string(),
      /** Whether there was such a file before. */
      existed: z.boolean(),
      /** Whether the line end before the block is ours. */
      gap: z.enum(["ours", "theirs"]),
    }),
  ),
});
/** The list of one installation. */
export type Installed = z.infer<typeof Installed>;
