/**
 * One address and nothing that would make it two, or begin another header: mail libraries read commas, angle brackets, quotes and
 * comments in an address as syntax.
 */
const ADDRESS = /^[^\s\p{Cc}@<>()[\],;:\\"]{1,64}@[^\s\p{Cc}@<>()[\],;:\\"]{1,255}$/u;

export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}
