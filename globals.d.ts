// Constants that scripts/build.mjs and vitest.config.ts put in at build time; nothing defines them at run time.

/** The version of package.json. */
declare const __RALPH_VERSION__: string;
