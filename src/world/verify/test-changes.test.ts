import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DiffFile } from "./parse-diff.ts";
import { findWeakenedTests, isTestPath } from "./test-changes.ts";

/** A changed file by its signed lines. */
function changed(path: string, ...lines: string[]): DiffFile {
  const of = (sign: string): string[] =>
    lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1));
  return { path, oldPath: undefined, status: "changed", removed: of("-"), added: of("+") };
}
const deleted = (path: string, ...removed: string[]): DiffFile => ({
  path,
  oldPath: undefined,
  status: "deleted",
  removed,
  added: [],
});
const renamed = (oldPath: string, path: string, ...lines: string[]): DiffFile => ({
  ...changed(path, ...lines),
  oldPath,
  status: "renamed",
});
/** What was found, without the lines. */
const whats = (...files: DiffFile[]): string[] =>
  findWeakenedTests(files, []).map(({ path, what }) => `${path}: ${what}`);

describe("is a test", () => {
  test.each([
    "src/a.test.ts",
    "src/a.spec.tsx",
    "test/a.js",
    "tests/deep/a.py",
    "src/__tests__/a.jsx",
    "spec/models/user_spec.rb",
    "e2e/login.ts",
    "test.js",
    "app/tests.py",
    "app/test_views.py",
    "conftest.py",
    "pkg/a_test.go",
    "tests/api.rs",
    "src/tests.rs",
    "src/test/java/AnyName.java",
    "app/UserTest.java",
    "app/UserTests.cs",
    "App.Tests/Helper.cs",
    "AppTests/Model.swift",
    "app/TestUser.php",
    "test/a_test.exs",
    "check.bats",
    "login.feature",
    "tests/run",
  ])("%s", (path) => {
    expect(isTestPath(path)).toBe(true);
  });
});

describe("is no test", () => {
  test.each([
    "src/a.ts",
    "src/latest/a.ts",
    "src/contest.py",
    "src/attest_all.go",
    "src/testing.ts",
    "src/inspector.rb",
    "tests/README.md",
    "tests/data.json",
    "src/__snapshots__/a.test.ts.snap",
    ".github/workflows/test.yml",
    "test/a.test.ts.bak",
    ".ralph/tests/a.test.ts",
    ".omc/test/a.js",
    ".claude/a.test.ts",
    "node_modules/x/test/a.js",
    "packages/x/node_modules/y/a.test.js",
    "tsconfig.test.json",
  ])("%s", (path) => {
    expect(isTestPath(path)).toBe(false);
  });
});

describe("a removed test is found", () => {
  test.each([
    ["a.test.ts", 'it("adds", () => {'],
    ["a.test.ts", "  test.each([1, 2])('adds %i', (n) => {"],
    ["a.test.ts", "test.concurrent(`adds`, async () => {"],
    ["a.test.ts", "Deno.test('adds', () => {"],
    ["test_a.py", "async def test_adds(client):"],
    ["a_test.go", "func TestAdds(t *testing.T) {"],
    ["a_test.go", "func (s *Suite) TestAdds() {"],
    ["tests/a.rs", "    #[test]"],
    ["src/lib.rs", "    #[tokio::test]"],
    ["ATest.java", "    @Test"],
    ["ATest.kt", "  @ParameterizedTest"],
    ["ATests.cs", "    [Fact]"],
    ["ATests.cs", '    [InlineData(1, "x")]'],
    ["a_spec.rb", '  it "adds" do'],
    ["a_spec.rb", "  it { should_work }"],
    ["test_a.rb", "  def test_adds"],
    ["ATest.php", "    public function testAdds(): void"],
    ["ATests.swift", "  func testAdds() throws {"],
    ["a_test.exs", '  test "adds", %{conn: conn} do'],
    ["a.bats", '@test "adds" {'],
    ["tests/a.sh", "test_adds() {"],
    ["a_test.cc", "TEST_F(Adder, Adds) {"],
    ["a.feature", "  Scenario: it adds"],
  ])("in %s: %s", (path, line) => {
    expect(findWeakenedTests([changed(path, `-${line}`)], [])).toEqual([
      { kind: "tests", path, what: "1 test removed", lines: [`-${line.trim()}`] },
    ]);
  });
});

describe("a removed assertion is found", () => {
  test.each([
    ["a.test.ts", "expect(a).toBe(1);"],
    ["a.test.ts", "await expect.soft(a).toBe(1);"],
    ["a.test.ts", "assert.deepEqual(a, [1]);"],
    ["a.test.js", "a.should.equal(1);"],
    ["a.test.js", "cy.get('x').should('be.visible')"],
    ["a.test.js", "t.is(a, 1);"],
    ["test_a.py", "assert a == 1"],
    ["test_a.py", "self.assertEqual(a, 1)"],
    ["test_a.py", "with pytest.raises(ValueError):"],
    ["a_test.go", 't.Fatalf("got %v", got)'],
    ["a_test.go", "require.NoError(t, err)"],
    ["tests/a.rs", "assert_eq!(a, 1);"],
    ["ATest.java", "Assertions.assertEquals(1, a);"],
    ["ATest.kt", "a shouldBe 1"],
    ["ATests.cs", "Assert.Equal<int>(1, a);"],
    ["ATests.cs", "a.Should().Be(1);"],
    ["a_spec.rb", "expect { add }.to raise_error"],
    ["ATest.php", "$this->assertSame(1, $a);"],
    ["ATests.swift", "XCTAssertEqual(a, 1)"],
    ["ATests.swift", "#expect(a == 1)"],
    ["a_test.exs", "refute a == 2"],
    ["a.bats", '[ "$status" -eq 0 ]'],
  ])("in %s: %s", (path, line) => {
    expect(findWeakenedTests([changed(path, `-${line}`)], [])).toEqual([
      { kind: "tests", path, what: "1 assertion removed", lines: [`-${line}`] },
    ]);
  });
});

describe("an added skip is found", () => {
  test.each([
    ["a.test.ts", 'it.skip("a", () => {'],
    ["a.test.ts", 'describe.skip("a", () => {'],
    ["a.test.ts", "test.skipIf(true)('a', () => {"],
    ["a.test.ts", 'xit("a", () => {'],
    ["a.test.ts", "xdescribe('a', () => {"],
    ["a.test.ts", 'test("a", { skip: true }, () => {'],
    ["a.test.ts", 'test("a", { timeout: 5, skip: "slow" }, () => {'],
    ["a.test.ts", "{ skip: true },"],
    ["a.test.ts", 't.skip("later");'],
    ["a.test.ts", 'pending("later");'],
    ["test_a.py", "@pytest.mark.skip(reason='slow')"],
    ["test_a.py", "@pytest.mark.skipif(WIN, reason='x')"],
    ["test_a.py", "@pytest.mark.xfail"],
    ["test_a.py", "@unittest.skip('x')"],
    ["a_test.go", 't.Skip("flaky")'],
    ["tests/a.rs", '#[ignore = "slow"]'],
    ["src/a.rs", "#[ignore]"],
    ["ATest.java", "@Disabled"],
    ["ATest.java", '@Ignore("x")'],
    ["ATests.cs", '[Ignore("x")]'],
    ["ATests.cs", '[Fact(Skip = "x")]'],
    ["a_spec.rb", 'skip "later"'],
    ["a_spec.rb", "it 'a', :skip do"],
    ["a_test.exs", "@tag :skip"],
    ["ATest.php", "$this->markTestSkipped('x');"],
    ["a.bats", 'skip "later"'],
    ["a.bats", "skip"],
  ])("in %s: %s", (path, line) => {
    expect(findWeakenedTests([changed(path, `+${line}`)], [])).toEqual([
      { kind: "tests", path, what: "a test is skipped", lines: [`+${line}`] },
    ]);
  });

  test.each([
    'it.only("a", () => {',
    'describe.only("a", () => {',
    'test.describe.only("a", () => {',
    'fit("a", () => {',
    'fdescribe("a", () => {',
    'test("a", { only: true }, () => {',
    "{ only: true },",
  ])("and so is a focus: %s", (line) => {
    expect(findWeakenedTests([changed("a.test.ts", `+${line}`)], [])).toEqual([
      { kind: "tests", path: "a.test.ts", what: "only some tests run", lines: [`+${line}`] },
    ]);
  });
});

describe("weaker is", () => {
  test("a deleted test file, once and without its tests", () => {
    const lines = ['it("a", () => {', "  expect(a).toBe(1);", "});"];
    expect(findWeakenedTests([deleted("a.test.ts", ...lines)], [])).toEqual([
      {
        kind: "tests",
        path: "a.test.ts",
        what: "test file deleted",
        lines: ['-it("a", () => {', "-expect(a).toBe(1);", "-});"],
      },
    ]);
  });

  test("a deleted script in a test folder, and a file renamed so that no runner takes it", () => {
    expect(whats(deleted("test/run.sh", "./app | diff - out.txt || exit 1"))).toEqual([
      "test/run.sh: test file deleted",
    ]);
    expect(whats(renamed("test/a.js", "test/a.js.bak"))).toEqual(["test/a.js: test file deleted"]);
    expect(whats(renamed("src/a.test.ts", "old/a.ts"))).toEqual([
      "src/a.test.ts: test file deleted",
    ]);
  });

  test("a file whose tests are gone from one place and not in another", () => {
    expect(
      findWeakenedTests(
        [
          changed("src/new.test.ts", '+it("a", () => {', "+  expect(1).toBe(a);"),
          changed("src/old.test.ts", '-it("a", () => {', '-it("b", () => {', "-expect(b).toBe(2);"),
        ],
        [],
      ),
    ).toEqual([
      {
        kind: "tests",
        path: "src/old.test.ts",
        what: "1 test removed",
        lines: ['-it("b", () => {'],
      },
    ]);
  });

  test("a test that is commented out, line by line or as a whole", () => {
    const body = ['it("a", () => {', "  expect(a).toBe(1);", "});"];
    const lines = [...body.map((line) => `-${line}`), ...body.map((line) => `+// ${line}`)];
    expect(whats(changed("a.test.ts", ...lines))).toEqual([
      "a.test.ts: 1 test removed",
      "a.test.ts: 1 assertion removed",
    ]);
    expect(whats(changed("a.test.ts", "+/*", "+*/"))).toEqual([
      "a.test.ts: tests are commented out",
    ]);
    expect(whats(changed("test_a.py", '+"""', '+"""'))).toEqual([
      "test_a.py: tests are commented out",
    ]);
    const text = ["/*", ...body, "*/"].join("\n");
    expect(
      findWeakenedTests([deleted("a.test.ts", ...body)], [{ path: "b.test.ts", text }]),
    ).toMatchObject([{ path: "a.test.ts", what: "test file deleted" }]);
  });

  test("a test that became a plan, and an assertion that became one that always holds", () => {
    expect(whats(changed("a.test.ts", '-it("a", () => {', '+it.todo("a");'))).toEqual([
      "a.test.ts: 1 test removed",
      "a.test.ts: a test is skipped",
    ]);
    expect(
      whats(changed("a.test.ts", "-expect(add(1)).toBe(2);", "+expect(true).toBe(true);")),
    ).toEqual(["a.test.ts: 1 assertion removed"]);
    expect(whats(changed("test_a.py", "-    assert add(1) == 2", "+    assert True"))).toEqual([
      "test_a.py: 1 assertion removed",
    ]);
  });

  test("a skip that takes the place of another", () => {
    const lines = ['-it.skip("a", () => {', '+it("a", () => {', '-it("b", () => {'];
    expect(whats(changed("a.test.ts", ...lines, '+it.skip("b", () => {'))).toEqual([
      "a.test.ts: a test is skipped",
    ]);
  });

  test("a condition put before a test that was there", () => {
    const lines = ["-test('a', () => {", "+test.skipIf(isSlow)('a', () => {"];
    expect(whats(changed("a.test.ts", ...lines))).toEqual(["a.test.ts: a test is skipped"]);
  });

  test("told within bounds", () => {
    const files = Array.from({ length: 30 }, (_, n) =>
      deleted(`${n}.test.ts`, ...Array.from({ length: 30 }, () => `expect(${"x".repeat(300)})`)),
    );
    const found = findWeakenedTests(files, []);
    expect(found.length).toBe(20);
    expect(found[0]?.lines).toEqual(
      Array.from({ length: 10 }, () => `-expect(${"x".repeat(191)}…`),
    );
  });
});

describe("not weaker is", () => {
  const body = [
    'import { expect, it } from "vitest";',
    'it("a", () => {',
    "  expect(a).toBe(1);",
    "});",
    'it.skip("b", () => {',
    "  expect(b).toBe(2);",
    "});",
  ];

  test("a test file that moved to a place git does not track", () => {
    const text = body.join("\r\n");
    const files = [deleted("src/a.test.ts", ...body)];
    expect(findWeakenedTests(files, [{ path: "test/a.test.ts", text }])).toEqual([]);
  });

  test("a test file that was split or merged into others", () => {
    const half = (from: number, to?: number): string[] =>
      body.slice(from, to).map((line) => `+  ${line}`);
    expect(
      whats(
        deleted("a.test.ts", ...body),
        changed("b.test.ts", ...half(0, 4)),
        changed("c.test.ts", ...half(4)),
      ),
    ).toEqual([]);
  });

  test("a rename, with a change or without", () => {
    expect(whats(renamed("a.test.ts", "test/a.test.ts"))).toEqual([]);
    expect(
      whats(renamed("test_a.py", "tests/test_b.py", "-assert a == 1", "+assert a == 2")),
    ).toEqual([]);
    expect(whats(renamed("tests/helpers.ts", "src/testing/helpers.ts"))).toEqual([]);
  });

  test("a deleted fixture, helper or empty module of a test folder", () => {
    expect(
      whats(
        deleted("tests/fixtures/out.json", "{}"),
        deleted("tests/helpers.ts", "export const a = 1;"),
        deleted("tests/__init__.py"),
        deleted("tests/server.ts", "export const server = start();"),
      ),
    ).toEqual([]);
  });

  test("another indentation, line break, title or expected value", () => {
    expect(
      whats(
        changed(
          "a.test.ts",
          '-it("a", () => {',
          '+  it("a", () => {',
          "-expect(add(1)).toBe(2);",
          "+  expect(",
          "+    add(1),",
          "+  ).toBe(3);",
          '-it("is old", async () => {',
          '+it("is new", async () => {',
          '-it.skip("slow", () => {',
          '+  it.skip("slow", async () => {',
        ),
      ),
    ).toEqual([]);
  });

  test("a test that is no longer skipped", () => {
    expect(whats(changed("a.test.ts", '-it.skip("a", () => {', '+it("a", () => {'))).toEqual([]);
    expect(whats(changed("ATest.java", "-  @Disabled"))).toEqual([]);
    expect(whats(changed("a.spec.ts", '-  test.skip(isSlow, "slow");'))).toEqual([]);
  });

  test("a condition of a new test", () => {
    expect(whats(changed("a.test.ts", "+test.skipIf(isSlow)('a', () => {"))).toEqual([]);
    expect(whats(changed("a.test.ts", "+describe.runIf(canMount)('a', () => {"))).toEqual([]);
    const lines = ["+@pytest.mark.skipif(WIN, reason='x')", "+def test_a():"];
    expect(whats(changed("test_a.py", ...lines))).toEqual([]);
  });

  test("a plan for a test", () => {
    expect(whats(changed("a.test.ts", '+it.todo("later");'))).toEqual([]);
  });

  test("words of tests in a comment or a string", () => {
    expect(
      whats(
        changed(
          "a.test.ts",
          '-// it("a", () => { expect(a).toBe(1); });',
          "-/* expect(a) */",
          " * We expect(more) here, and it.skip(nothing).",
          "-  const source = 'it(\"a\", () => expect(a))';",
          '+// it.skip("b", () => {',
          '+  const other = "it.only(a)";',
          "+  run(); // xit(later)",
        ),
        changed("test_a.py", "-# assert a", "-    We expect (and hope) that it holds."),
      ),
    ).toEqual([]);
  });

  test("words of tests in the product", () => {
    expect(
      whats(
        changed("src/a.ts", "-assert(a);", '-it("a")', "-expect(token)", "+list.only(a).skip(1)"),
        changed("src/lib.rs", "-    assert!(a > 0);"),
        deleted("src/b.ts", "expect(a);", "test(a);"),
      ),
    ).toEqual([]);
  });

  test("an option of the product that is called as a skip is", () => {
    expect(
      whats(
        changed(
          "a.test.ts",
          "+  stream.skip(1);",
          "+  expect(parse({ skip: true, only: 1 })).toEqual([]);",
          '+it("a", () => parse({ skip: true }));',
          "+  model.fit(x);",
          '+test("b", { skip: false }, () => {',
        ),
      ),
    ).toEqual([]);
  });

  test("a doc comment", () => {
    expect(whats(changed("a.test.ts", "+/**", "+ * What it is for.", "+ */"))).toEqual([]);
  });
});

describe("for any lines", () => {
  const path = fc.constantFrom("a.test.ts", "tests/b.py", "c_test.go", "src/d.ts", "e.bats");
  const plain = fc.constantFrom(
    'it("a", () => {',
    "  expect(a).toBe(1);",
    "def test_a():",
    "    assert a == 1",
    "func TestA(t *testing.T) {",
    '@test "a" {',
    "// expect(a)",
    "});",
    "",
  );
  const skip = fc.constantFrom('it.skip("a", () => {', "@pytest.mark.skip", "t.Skip()", "fit('a')");

  test("additions without a skip are never found", () => {
    const entry = fc.tuple(path, fc.array(fc.oneof(plain, fc.string())), fc.boolean());
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const clean = entries.map(([name, lines, isNew]) => ({
          name,
          isNew,
          lines: lines.filter((line) => !/skip|pending|only|\/\*|["'=#]/iu.test(line)),
        }));
        const files = clean.map(({ name, lines, isNew }) => ({
          ...changed(name, ...lines.map((line) => `+${line}`)),
          status: isNew ? ("added" as const) : ("changed" as const),
        }));
        const untracked = clean.map(({ name, lines }) => ({ path: name, text: lines.join("\n") }));
        expect(findWeakenedTests(files, untracked)).toEqual([]);
      }),
    );
  });

  test("lines that only change their places are never found", () => {
    const lines = fc.array(fc.oneof(plain, skip), { minLength: 1, maxLength: 30 });
    const moved = lines.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
        fc.nat({ max: all.length }),
      ),
    );
    fc.assert(
      fc.property(moved, ([before, after, cut]) => {
        const files = [
          changed("a.test.ts", ...before.map((line) => `-${line}`)),
          changed("b.test.ts", ...after.slice(0, cut).map((line) => `+  ${line}`)),
        ];
        const text = after.slice(cut).join("\n");
        expect(findWeakenedTests(files, [{ path: "c.test.ts", text }])).toEqual([]);
      }),
    );
  });
});
