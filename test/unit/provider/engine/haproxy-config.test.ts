import { expect, it } from "vitest";
import { parseHaproxy, renderHaproxy } from "../../../../provider/engine/haproxy-config.js";

const listener = { port: 6443, backends: { "cp-b": "10.0.0.12:6443", "cp-a": "10.0.0.11:6443" } };

it("gives the same text whatever the order of the servers, and reads it back", () => {
  const text = renderHaproxy(listener);
  expect(renderHaproxy({ port: 6443, backends: { "cp-a": "10.0.0.11:6443", "cp-b": "10.0.0.12:6443" } })).toBe(text);
  expect(parseHaproxy(text)).toEqual(listener);
});

it("checks /readyz over TLS every second", () => {
  const text = renderHaproxy(listener);
  expect(text).toContain("bind :6443");
  expect(text).toContain("option httpchk GET /readyz");
  expect(text).toContain("default-server inter 1s fall 2 rise 1");
  expect(text).toContain("server cp-a 10.0.0.11:6443 check check-ssl verify none\n  server cp-b");
});

it("is no parser of other people's files", () => {
  expect(parseHaproxy("global\n")).toBeNull();
});
