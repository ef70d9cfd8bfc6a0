/** Tables of Windows' libraries as they lie in memory, with what Wine has not. */
import { expect, test } from "vitest";
import { interfacesIn } from "../../../worker-runtime/windows/interfaces.js";
import { FAMILIES, listenerIn } from "../../../worker-runtime/windows/listeners.js";

const [IPV4, IPV6] = FAMILIES;

test("listeners are found by their port, which stands in network byte order", () => {
  for (const family of [IPV4, IPV6]) {
    const table = Buffer.alloc(4 + 2 * family.rowBytes);
    table.writeUInt32LE(2);
    for (const [row, port, pid] of [
      [0, 0x08ae, 4711],
      [1, 0xae08, 4712],
    ] as const) {
      const start = 4 + row * family.rowBytes;
      table.writeUInt16BE(port, start + family.portOffset);
      table.writeUInt32LE(pid, start + family.pidOffset);
    }
    expect(listenerIn(table, family, 2222)).toBe(4711);
    expect(listenerIn(table, family, 0xae08)).toBe(4712);
    expect(listenerIn(table, family, 1)).toBeUndefined();
  }
});

test("an interface's filter drivers, which count the same bytes again, are left out", () => {
  const rows = [
    { name: "Ethernet", type: 6, flags: 0b101, received: 2 ** 40, sent: 7 },
    {
      name: "Ethernet-WFP Native MAC Layer LightWeight Filter-0000",
      type: 6,
      flags: 0b10,
      received: 1,
      sent: 1,
    },
    { name: "Loopback Pseudo-Interface 1", type: 24, flags: 0, received: 3, sent: 3 },
  ];
  const table = Buffer.alloc(8 + rows.length * 1352);
  table.writeUInt32LE(rows.length);
  for (const [row, { name, type, flags, received, sent }] of rows.entries()) {
    const start = 8 + row * 1352;
    table.write(name, start + 28, "utf16le");
    table.writeUInt32LE(type, start + 1128);
    table.writeUInt8(flags, start + 1152);
    table.writeBigUInt64LE(BigInt(received), start + 1208);
    table.writeBigUInt64LE(BigInt(sent), start + 1280);
  }
  expect(interfacesIn(table)).toEqual([
    { name: "Ethernet", isLoopback: false, isHardware: true, received: 2 ** 40, sent: 7 },
    { name: "Loopback Pseudo-Interface 1", isLoopback: true, isHardware: false, received: 3, sent: 3 },
  ]);
});
