/** RFC 6750 section 2.1; the scheme's name is case-insensitive (RFC 9110 section 11.1). Undefined of any other header. */
export function bearerOf(authorization: string): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}
