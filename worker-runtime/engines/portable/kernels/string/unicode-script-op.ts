import { Tensor } from "../../../../protocol/tensor.js";
import { perElement, pureKernel } from "../support/define.js";
import { noTypes } from "../support/dtypes.js";
import { inputAt, newNumbers, numbersOf } from "../support/elements.js";

/** The numbers of scripts (UScriptCode of ICU) by the names that Unicode gives them. */
const scripts = {
  ...{ Common: 0, Inherited: 1, Latin: 25, Han: 17, Cyrillic: 8, Arabic: 2, Devanagari: 10, Hangul: 18 },
  ...{ Hiragana: 20, Katakana: 22, Greek: 14, Hebrew: 19, Thai: 38, Armenian: 3, Bengali: 4, Bopomofo: 5 },
  ...{
    Cherokee: 6,
    Coptic: 7,
    Deseret: 9,
    Ethiopic: 11,
    Georgian: 12,
    Gothic: 13,
    Gujarati: 15,
    Gurmukhi: 16,
  },
  ...{
    Kannada: 21,
    Khmer: 23,
    Lao: 24,
    Malayalam: 26,
    Mongolian: 27,
    Myanmar: 28,
    Ogham: 29,
    Old_Italic: 30,
  },
  ...{ Oriya: 31, Runic: 32, Sinhala: 33, Syriac: 34, Tamil: 35, Telugu: 36, Thaana: 37, Tibetan: 39 },
  ...{ Canadian_Aboriginal: 40, Yi: 41, Tagalog: 42, Hanunoo: 43, Buhid: 44, Tagbanwa: 45, Braille: 46 },
  ...{
    Cypriot: 47,
    Limbu: 48,
    Linear_B: 49,
    Osmanya: 50,
    Shavian: 51,
    Tai_Le: 52,
    Ugaritic: 53,
    Buginese: 55,
  },
  ...{ Glagolitic: 56, Kharoshthi: 57, Syloti_Nagri: 58, New_Tai_Lue: 59, Tifinagh: 60, Old_Persian: 61 },
  ...{ Balinese: 62, Batak: 63, Brahmi: 65, Cham: 66, Egyptian_Hieroglyphs: 71, Pahawh_Hmong: 75 },
  ...{ Old_Hungarian: 76, Javanese: 78, Kayah_Li: 79, Lepcha: 82, Linear_A: 83, Mandaic: 84 },
  ...{ Meroitic_Hieroglyphs: 86, Nko: 87, Old_Turkic: 88, Old_Permic: 89, Phags_Pa: 90, Phoenician: 91 },
  ...{
    Miao: 92,
    Vai: 99,
    Cuneiform: 101,
    Carian: 104,
    Tai_Tham: 106,
    Lycian: 107,
    Lydian: 108,
    Ol_Chiki: 109,
  },
  ...{ Rejang: 110, Saurashtra: 111, SignWriting: 112, Sundanese: 113, Meetei_Mayek: 115 },
  ...{ Imperial_Aramaic: 116, Avestan: 117, Chakma: 118, Kaithi: 120, Manichaean: 121 },
  ...{ Inscriptional_Pahlavi: 122, Psalter_Pahlavi: 123, Inscriptional_Parthian: 125, Samaritan: 126 },
  ...{ Tai_Viet: 127, Bamum: 130, Lisu: 131, Old_South_Arabian: 133, Bassa_Vah: 134, Duployan: 135 },
  ...{ Elbasan: 136, Grantha: 137, Mende_Kikakui: 140, Meroitic_Cursive: 141, Old_North_Arabian: 142 },
  ...{ Nabataean: 143, Palmyrene: 144, Khudawadi: 145, Warang_Citi: 146, Mro: 149, Nushu: 150, Sharada: 151 },
  ...{ Sora_Sompeng: 152, Takri: 153, Tangut: 154, Anatolian_Hieroglyphs: 156, Khojki: 157, Tirhuta: 158 },
  ...{ Caucasian_Albanian: 159, Mahajani: 160, Ahom: 161, Hatran: 162, Modi: 163, Multani: 164 },
  ...{ Pau_Cin_Hau: 165, Siddham: 166, Adlam: 167, Bhaiksuki: 168, Marchen: 169, Newa: 170, Osage: 171 },
  ...{ Masaram_Gondi: 175, Soyombo: 176, Zanabazar_Square: 177, Dogra: 178, Gunjala_Gondi: 179 },
  ...{ Makasar: 180, Medefaidrin: 181, Hanifi_Rohingya: 182, Sogdian: 183, Old_Sogdian: 184, Elymaic: 185 },
  ...{ Nyiakeng_Puachue_Hmong: 186, Nandinagari: 187, Wancho: 188, Chorasmian: 189, Dives_Akuru: 190 },
  ...{ Khitan_Small_Script: 191, Yezidi: 192 },
} as const;

/** The script of unassigned code points (ICU's USCRIPT_UNKNOWN). */
const UNKNOWN = 103;
const INVALID = -1;

const CODE_POINTS = 0x110000;
const NOT_LOOKED_UP = -2;

/** The scripts of Unicode's characters, looked up once each through JavaScript's regular expressions. */
class ScriptTable {
  readonly #found = new Int16Array(CODE_POINTS).fill(NOT_LOOKED_UP);
  readonly #tests = Object.entries(scripts).map(
    ([name, code]) => [new RegExp(`^\\p{Script=${name}}$`, "u"), code] as const,
  );

  scriptOf(codePoint: number): number {
    const found = this.#found[codePoint];
    if (found === undefined) {
      return INVALID;
    }
    if (found !== NOT_LOOKED_UP) {
      return found;
    }
    const character = String.fromCodePoint(codePoint);
    const script = this.#tests.find(([test]) => test.test(character))?.[1] ?? UNKNOWN;
    this.#found[codePoint] = script;
    return script;
  }
}

/** Created on first use: most graphs do not need it. */
let table: ScriptTable | undefined;

/** A compromise between cached characters and new ones, which take microseconds. */
const NANOSECONDS_PER_CHARACTER = 500;

/** The script of each character: int32 code points to script numbers, 103 for an unknown one, -1 for no character. */
export const unicodeScriptKernel = pureKernel(
  "UnicodeScript",
  () => (inputs) => {
    table ??= new ScriptTable();
    const input = inputAt(inputs, 0);
    const codes = numbersOf(input);
    const out = newNumbers("int32", input.shape);
    for (let i = 0; i < codes.length; i += 1) {
      out[i] = table.scriptOf(codes[i] as number);
    }
    return [new Tensor("int32", input.shape, out)];
  },
  { types: noTypes, cost: perElement(NANOSECONDS_PER_CHARACTER) },
);
