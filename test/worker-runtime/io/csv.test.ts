import { describe, expect, test } from "vitest";
import { type CsvOptions, csvColumns, readCsv, readCsvStream } from "../../../worker-runtime/io/csv.js";
import { CsvScanner } from "../../../worker-runtime/io/csv-scanner.js";
import fc from "../../support/seeded-check.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (text: string, options: CsvOptions = {}) => readCsv(bytes(text), { name: "d.csv", ...options });

describe("readCsv", () => {
  test("a column by name or number", () => {
    const text = "price,n\r\n1.5,1\r\n2.5,2\r\n";
    expect(read(text, { column: "n", dtype: "int32" }).toArray()).toEqual([1, 2]);
    expect(read(text, { column: 0, dtype: "float32" }).toArray()).toEqual([1.5, 2.5]);
    expect(read(text, { column: "1", dtype: "int64" }).toArray()).toEqual([1n, 2n]);
  });

  test("all columns become a matrix, a single one a vector", () => {
    expect(read("1,2\n3,4").toArray()).toEqual([
      [1n, 2n],
      [3n, 4n],
    ]);
    expect(read("1\n2\n3\n", { dtype: "int32" }).shape).toEqual([3]);
  });

  test.each([
    ["semicolons", "a;b\n1;2\n", ";"],
    ["tabs", "a\tb\n1\t2\n", "\t"],
    ["bars", "a|b\n1|2\n", "|"],
    ["semicolons beside commas in quotes", 'a;b\n"1";"2"\n', ";"],
  ])("finds %s", (_what, text) => {
    expect(read(text, { column: "b", dtype: "int32" }).toArray()).toEqual([2]);
  });

  test.each([
    ["numpy.savetxt with a header", "# price,count\n1.5e+00,10\n2.5e+00,20\n"],
    ["numpy.savetxt with blanks", "# price count\n1.5e+00 10\n2.5e+00 20\n"],
    ["numpy.savetxt with several comments", "# made by hand, twice\n#\n# price,count\n1.5,10\n2.5,20\n"],
    ["Excel with sep=", "sep=;\r\nprice;count\r\n1.5;10\r\n2.5;20\r\n"],
    ["Excel with rows of which nothing is left", "price,count\r\n1.5,10\r\n2.5,20\r\n,\r\n,\r\n"],
    ["pandas with an index", ",price,count\n0,1.5,10\n1,2.5,20\n"],
    ["R's write.csv", '"","price","count"\n"1",1.5,10\n"2",2.5,20\n'],
    ["R's write.table", '"price" "count"\n"1" 1.5 10\n"2 b" 2.5 20\n'],
    ["columns that are aligned by blanks", "  price  count \n    1.5     10 \n    2.5     20 \n"],
    ["blank lines and the end of a DOS text", "price,count\r\n1.5,10\r\n2.5,20\r\n  \r\n\x1a"],
  ])("%s", (_what, text) => {
    expect(read(text, { column: "price", dtype: "float32" }).toArray()).toEqual([1.5, 2.5]);
    expect(read(text, { column: "count", dtype: "int32" }).toArray()).toEqual([10, 20]);
    expect(csvColumns(bytes(text), "d.csv")).toEqual(expect.arrayContaining(["price", "count"]));
    // However it is cut into pieces, of which the first is longer than the part that is looked at.
    const scanned: string[][] = [];
    const delimiter = text.includes(",") ? "," : text.includes(";") ? ";" : " ";
    const scanner = new CsvScanner(delimiter, "d.csv", (fields) => scanned.push([...fields]));
    for (const character of text) scanner.write(character);
    scanner.end();
    const whole: string[][] = [];
    const other = new CsvScanner(delimiter, "d.csv", (fields) => whole.push([...fields]));
    other.write(text);
    other.end();
    expect(scanned).toEqual(whole);
  });

  test("keeps what only looks like a comment or like nothing", () => {
    expect(read("#one\n#two\nthree\n").toArray()).toEqual(["#one", "#two", "three"]);
    expect(read("#,price\n1,2\n", { column: "#" }).toArray()).toEqual([1n]);
    expect(read('a\n"  "\nb\n', { header: true, dtype: "string" }).toArray()).toEqual(["  ", "b"]);
    expect(read("a,b\nc,d\n,\ne,f\n", { column: "a", dtype: "string" }).toArray()).toEqual(["c", "", "e"]);
    expect(() => read("a,b\n1,2\n,\n3,4\n", { dtype: "int32" })).toThrow(
      'line 3, column "a": the value is missing',
    );
    expect(read("New York\nLos Angeles\n").toArray()).toEqual(["New York", "Los Angeles"]);
    expect(() => read("# a,b\n1,2\n3,x\n", { dtype: "int32" })).toThrow('line 3, column "b"');
  });

  test("quotes hold delimiters, line ends and quotes", () => {
    const text = 'name,n\n"a, ""b""\r\nc",1\nplain,2\n';
    expect(read(text, { column: "name", dtype: "string" }).toArray()).toEqual(['a, "b"\r\nc', "plain"]);
  });

  test("byte order marks and UTF-16", () => {
    expect(read("\ufeffä;b\n1;2", { column: "ä", dtype: "int32" }).toArray()).toEqual([1]);
    const utf16 = Buffer.from("\ufeffa,b\n1,2\n", "utf16le");
    expect(readCsv(utf16, { column: "b", dtype: "int32" }).toArray()).toEqual([2]);
    expect(() => readCsv(new Uint8Array([0xc4, 0x0a, 0x31]))).toThrow("not text in UTF-8");
  });

  test("line ends: CRLF, LF, CR, none at the end, blank lines", () => {
    for (const text of ["1\r\n2\r\n", "1\n2", "1\r2\r", "1\n\n\n2\n\n"]) {
      expect(read(text, { dtype: "int32" }).toArray()).toEqual([1, 2]);
    }
  });

  test("a header is told from values", () => {
    expect(read("x,y\n1,2\n", { dtype: "int32" }).shape).toEqual([1, 2]);
    expect(read("1,2\n3,4\n", { dtype: "int32" }).shape).toEqual([2, 2]);
    expect(read("a,b\nc,d\n").toArray()).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(read("a,b\nc,1\n", { column: "a" }).toArray()).toEqual(["c"]);
    expect(read("a,b\nc,d\n", { header: true, dtype: "string" }).shape).toEqual([1, 2]);
  });

  test("a header alone gives no rows", () => {
    expect(read("x,y\n", { column: "y", dtype: "float32" }).shape).toEqual([0]);
  });

  test("the dtype that all values fit", () => {
    expect(read("1\n-2\n").dtype).toBe("int64");
    expect(read("1\n2.5\n").dtype).toBe("float32");
    expect(read("true\nFALSE\n").dtype).toBe("bool");
    expect(read("1\nx y\n").dtype).toBe("string");
  });

  test("numbers keep their digits and their limits", () => {
    expect(read("9007199254740993\n", { dtype: "int64" }).toArray()).toEqual([9007199254740993n]);
    expect(read("nan\n-inf\n 1e3 \n0\n", { dtype: "float64" }).toArray()).toEqual([
      Number.NaN,
      -Infinity,
      1000,
      0,
    ]);
    expect(() => read("300\n", { dtype: "uint8" })).toThrow('line 1, column 0: "300" is outside of uint8');
    expect(() => read("1e39\n", { dtype: "float32" })).toThrow("too large for float32");
    expect(() => read("0\n0x10\n", { dtype: "float32" })).toThrow("not a number");
    expect(() => read("a;b\n1;1,5\n", { dtype: "float32", delimiter: ";" })).toThrow("behind a point");
  });

  test.each([
    ["a missing value", "a,b\n1,2\n3,\n", { dtype: "int32" }, 'line 3, column "b": the value is missing'],
    ["NA", "1\nNA\n", { dtype: "float32" }, "line 2, column 0: the value is missing"],
    [
      "a word among numbers",
      "a,b\n1,2\n3,x\n",
      { dtype: "int32" },
      'line 3, column "b": "x" is not a number',
    ],
    ["a row of another length", "1,2\n3\n", {}, "line 2: 1 fields, but the first row has 2"],
    ["a row behind a quoted line end", 'a,b\n"1\n",2\n3\n', { column: "b" }, "line 4: 1 fields"],
    ["an open quote", 'a\n"b\n', {}, "never closed"],
    ["text behind a quote", 'a\n"b"c\n', {}, "written twice"],
    ["an empty file", "", {}, "no rows"],
    [
      "an unknown column",
      "price,n\n1,2\n",
      { column: "prise", dtype: "int32" },
      'Its columns are "price", "n". Did you mean price?',
    ],
    ["a number beyond the columns", "1,2\n", { column: 2 }, "numbered 0 to 1"],
  ] as const)("refuses %s", (_what, text, options, message) => {
    expect(() => read(text, options)).toThrow(message);
  });

  test("a stream may be cut anywhere", async () => {
    const text = 'näme,"v"\r\n"ä, ""q""\r\n",1\r\nb,2\r\n';
    const whole = read(text, { column: "näme", dtype: "string" }).toArray();
    const all = bytes(text);
    for (let cut = 0; cut <= all.length; cut += 1) {
      const chunks = (async function* () {
        yield all.subarray(0, cut);
        yield all.subarray(cut);
      })();
      expect((await readCsvStream(chunks, { column: "näme", dtype: "string" })).toArray()).toEqual(whole);
    }
  });

  test("a field has a limit, and the error names the file and where it begins", () => {
    const piece = bytes("a".repeat(1_000_000));
    async function* endless() {
      yield bytes('price\n1.5\n"');
      for (;;) yield piece;
    }
    return expect(readCsvStream(endless(), { name: "d.csv", column: "price" })).rejects.toThrow(
      /"d\.csv", line 3: a field has more than 8388608 characters/,
    );
  });

  test("a million rows are read", () => {
    const text = `a,b,c\n${"1234,5.25,some text\n".repeat(1_000_000)}`;
    const tensor = readCsv(bytes(text), { column: "b", dtype: "float32" });
    expect(tensor.shape).toEqual([1_000_000]);
    expect(tensor.at(999_999)).toBe(5.25);
  });
});

test("what is written as RFC 4180 says is read back, however it is cut", () => {
  const field = fc.string({ unit: fc.constantFrom("a", "1", ",", '"', "\n", "\r", " ", "é") });
  fc.assert(
    fc.property(
      fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { maxLength: 6 }),
      fc.nat(60),
      (rows, cut) => {
        const text = rows.map((row) => row.map((f) => `"${f.replaceAll('"', '""')}"`).join(",")).join("\r\n");
        const read: string[][] = [];
        const scanner = new CsvScanner(",", "x", (fields) => read.push([...fields]));
        scanner.write(text.slice(0, cut));
        scanner.write(text.slice(cut));
        scanner.end();
        expect(read).toEqual(rows);
      },
    ),
  );
});
