/**
 * Formats numbers as C's printf does: the digits are those of the exact binary value, rounded half to even.
 * JavaScript's own toFixed and toPrecision round ties up and stop at 100 digits.
 */

/** The exact value of a finite number: mantissa · 2^exponent. */
function exactValue(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const fraction = bits & ((1n << 52n) - 1n);
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: exponent - 1075 };
}

/** |value| · 10^power, rounded half to even. */
function scaled(value: number, power: number): bigint {
  const { mantissa, exponent } = exactValue(value);
  let numerator = mantissa;
  let denominator = 1n;
  if (power >= 0) {
    numerator *= 10n ** BigInt(power);
  } else {
    denominator = 10n ** BigInt(-power);
  }
  if (exponent >= 0) {
    numerator <<= BigInt(exponent);
  } else {
    denominator <<= BigInt(-exponent);
  }
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && (quotient & 1n) === 1n);
  return up ? quotient + 1n : quotient;
}

function signOf(value: number): string {
  return value < 0 || Object.is(value, -0) ? "-" : "";
}

function notFinite(value: number): string | undefined {
  if (Number.isNaN(value)) {
    return "nan";
  }
  return Number.isFinite(value) ? undefined : `${signOf(value)}inf`;
}

/** "%.<precision>f". */
export function formatFixed(value: number, precision: number): string {
  const special = notFinite(value);
  if (special !== undefined) {
    return special;
  }
  const digits = scaled(value, precision)
    .toString()
    .padStart(precision + 1, "0");
  const point = digits.length - precision;
  return `${signOf(value)}${digits.slice(0, point)}${precision > 0 ? `.${digits.slice(point)}` : ""}`;
}

/** The `precision` + 1 significant digits of a finite number, and the power of ten of the first one. */
function significantDigits(value: number, precision: number): { digits: string; power: number } {
  if (value === 0) {
    return { digits: "0".repeat(precision + 1), power: 0 };
  }
  // The shortest text of the value may round up to the next power of ten.
  let power = Number(Math.abs(value).toExponential().split("e")[1]);
  let digits = scaled(value, precision - power).toString();
  while (digits.length !== precision + 1) {
    power += digits.length > precision + 1 ? 1 : -1;
    digits = scaled(value, precision - power).toString();
  }
  return { digits, power };
}

function exponentText(power: number): string {
  return `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** "%.<precision>e". */
export function formatScientific(value: number, precision: number): string {
  const special = notFinite(value);
  if (special !== undefined) {
    return special;
  }
  const { digits, power } = significantDigits(value, precision);
  const fraction = precision > 0 ? `.${digits.slice(1)}` : "";
  return `${signOf(value)}${digits.slice(0, 1)}${fraction}${exponentText(power)}`;
}

/** "%.<precision>g": the shorter of both forms, without trailing zeros. */
export function formatGeneral(value: number, precision: number): string {
  const special = notFinite(value);
  if (special !== undefined) {
    return special;
  }
  const significant = Math.max(precision, 1);
  const { digits, power } = significantDigits(value, significant - 1);
  const kept = digits.replace(/0+$/, "") || "0";
  const sign = signOf(value);
  if (power < -4 || power >= significant) {
    return `${sign}${kept.slice(0, 1)}${kept.length > 1 ? `.${kept.slice(1)}` : ""}${exponentText(power)}`;
  }
  if (power < 0) {
    return `${sign}0.${"0".repeat(-power - 1)}${kept}`;
  }
  const whole = kept.slice(0, power + 1).padEnd(power + 1, "0");
  return `${sign}${whole}${kept.length > power + 1 ? `.${kept.slice(power + 1)}` : ""}`;
}

/** Digits that a C++ float or double always preserves (FLT_DIG, DBL_DIG), and digits that identify each value. */
const FLOAT_DIGITS = [6, 9] as const;
const DOUBLE_DIGITS = [15, 17] as const;

/** A float32 (or smaller) as TensorFlow's StrCat writes it: six digits, or nine if six do not identify the value. */
export function floatText(value: number): string {
  const short = formatGeneral(value, FLOAT_DIGITS[0]);
  return Object.is(Math.fround(Number(short)), value) || !Number.isFinite(value)
    ? short
    : formatGeneral(value, FLOAT_DIGITS[1]);
}

/** A float64 as TensorFlow's StrCat writes it. */
export function doubleText(value: number): string {
  const short = formatGeneral(value, DOUBLE_DIGITS[0]);
  return Object.is(Number(short), value) || !Number.isFinite(value)
    ? short
    : formatGeneral(value, DOUBLE_DIGITS[1]);
}
