import { isIP } from 'node:net';
import { isAddress } from '../addresses/address.ts';
import { normalAddress } from '../addresses/normal-address.ts';
import { isWeakSecret } from './weak-secrets.ts';

/**
 * Parses the text of one variable. `read` returns undefined for text that does not fit; `expected` completes "NAME must be …". A `secret`
 * value may come from a file.
 */
export type Value<T> = { expected: string; secret?: true; read(text: string): T | undefined };

export const text: Value<string> = { expected: 'text', read: given => given };

export const boolean: Value<boolean> = { expected: 'true or false', read: given => booleans.get(given) };
/** For switches that scripts have always set to `1`. */
export const flag: Value<boolean> = { expected: 'true, 1 or false', read: given => given === '1' ? true : booleans.get(given) };
const booleans = new Map([['true', true], ['false', false]]);

/** Scripts say it in several ways. */
export const strictness: Value<'warn' | 'error' | 'off'> = {
  expected: 'one of warn, error, off',
  read: given => strictnesses.get(given.toLowerCase()),
};
const strictnesses = new Map<string, 'warn' | 'error' | 'off'>([
  ['warn', 'warn'],
  ...['error', 'strict', '1', 'true', 'yes'].map(word => [word, 'error'] as const),
  ...['off', '0', 'false', 'no', 'none'].map(word => [word, 'off'] as const),
]);

export const coalescing: Value<'on' | 'off' | 'always'> = {
  expected: 'one of on, off, always',
  read: given => coalescings.find(word => word === given.toLowerCase()),
};
const coalescings = ['on', 'off', 'always'] as const;

export function wholeNumber(from: number, to = Number.MAX_SAFE_INTEGER): Value<number> {
  const range = to === Number.MAX_SAFE_INTEGER ? `${from} or more` : `from ${from} to ${to}`;
  return { expected: `a whole number, ${range}`, read: given => /^\d+$/.test(given) ? within(from, Number(given), to) : undefined };
}

function within(from: number, value: number, to: number): number | undefined {
  return value >= from && value <= to ? value : undefined;
}

export const names: Value<readonly string[]> = {
  expected: 'a comma-separated list of names',
  read: given => Object.freeze(given.split(',').map(name => name.trim()).filter(name => name !== '')),
};

/** The number of cores is determined where the workers are started. */
export const workers: Value<number | 'auto'> = {
  expected: 'a whole number, 1 or more, or auto',
  read: given => given === 'auto' ? given : wholeNumber(1, 1024).read(given),
};

export function oneOf<const T extends string>(...values: T[]): Value<T> {
  return { expected: `one of ${values.join(', ')}`, read: given => values.find(value => value === given) };
}

/** Some of these, each once. */
export function someOf<const T extends string>(...values: T[]): Value<readonly T[]> {
  return {
    expected: `a comma-separated list of ${values.join(', ')}`,
    read(given) {
      const found = given.split(',').map(item => values.find(value => value === item.trim()));
      return found.every(value => value !== undefined) ? Object.freeze([...new Set(found)]) : undefined;
    },
  };
}

/** In seconds. A bare number is refused: readers disagree whether it means seconds or milliseconds. */
export const lifetime: Value<number> = {
  expected: 'a positive number with a unit, such as 15m, 1h, 30d or 2 weeks',
  read(given) {
    const match = /^(\d+(?:\.\d+)?) ?([a-z]+)$/i.exec(given);
    const seconds = Math.round(Number(match?.[1]) * (unitSeconds.get(match?.[2]?.toLowerCase() ?? '') ?? NaN));
    return within(1, seconds, 100 * 365 * 86_400);
  },
};
const unitSeconds = new Map(Object.entries({
  s: 1, sec: 1, secs: 1, second: 1, seconds: 1,
  m: 60, min: 60, mins: 60, minute: 60, minutes: 60,
  h: 3600, hr: 3600, hrs: 3600, hour: 3600, hours: 3600,
  d: 86_400, day: 86_400, days: 86_400,
  w: 604_800, week: 604_800, weeks: 604_800,
  y: 31_557_600, yr: 31_557_600, yrs: 31_557_600, year: 31_557_600, years: 31_557_600,
}));

/** Text after the scheme is left to the driver: it knows several hosts and sockets, which URL parsers refuse. */
export const databaseUrl: Value<string> = {
  expected: 'a URL that starts with postgres:// or postgresql://',
  secret: true, // it holds a password
  read: given => /^postgres(?:ql)?:\/\/\S+$/.test(given) ? given : undefined,
};

export const host: Value<string> = {
  expected: 'an address or a name of this machine, without a port',
  read: given => isIP(given) !== 0 || /^[a-z\d-]+(\.[a-z\d-]+)*$/i.test(given) ? given : undefined,
};

/** Hosts of URLs, in lower case as URLs have them. */
export const hosts: Value<readonly string[]> = {
  expected: 'a comma-separated list of hosts, each with its port where it has one',
  read(given) {
    const found = given.split(',').map(item => item.trim().toLowerCase()).filter(item => item !== '');
    return found.length > 0 && found.every(item => URL.parse(`https://${item}/`)?.host === item) ? Object.freeze(found) : undefined;
  },
};

export const httpUrl: Value<string> = { expected: 'an absolute http or https URL', read: given => parsedHttpUrl(given) && given };

/** A base to which paths are appended. */
export const linkBase: Value<string> = {
  expected: 'an absolute http or https URL, without a query or fragment',
  read(given) {
    const url = parsedHttpUrl(given);
    return url !== undefined && !/[?#]/.test(given) ? given.replace(/\/+$/, '') : undefined;
  },
};

/** A list of the settings file arrives as JSON. Apps have schemes of their own. */
export const urls: Value<readonly string[]> = {
  expected: 'a comma-separated list of absolute URLs, without a user name',
  read(given) {
    const listed = /^\["(.*)"\]$/.exec(given)?.[1]?.split('","') ?? given.split(','); // a URL with a quote in it is none
    const found = listed.map(item => item.trim()).filter(item => item !== '');
    return found.every(isPlainUrl) ? Object.freeze(found) : undefined;
  },
};

function isPlainUrl(given: string): boolean {
  const url = URL.parse(given);
  return url !== null && url.username === '' && url.password === '';
}

/** Pages and Android apps, as WebAuthn names them. */
export const clientOrigins: Value<readonly string[]> = {
  expected: 'a comma-separated list of origins, such as https://app.example.com or android:apk-key-hash:…',
  read(given) {
    const found = given.split(',').map(item => item.trim()).filter(item => item !== '');
    const isOrigin = (item: string) => /^android:apk-key-hash:[\w-]+$/.test(item) || parsedHttpUrl(item)?.origin === item;
    return found.length > 0 && found.every(isOrigin) ? Object.freeze(found) : undefined;
  },
};

/** Mail readers show no other kinds. */
export const imageUrl: Value<string> = {
  expected: 'an absolute http or https URL of a PNG or JPG',
  read: given => /(?:\.(?:png|jpe?g)|\/[^/.]*)$/i.test(parsedHttpUrl(given)?.pathname ?? '') ? given : undefined,
};

/** `a@example.com`, or `Shop <a@example.com>`. */
export const sender: Value<{ name: string | undefined; address: string }> = {
  expected: 'an address such as shop@example.com, or Shop <shop@example.com>',
  read(given) {
    const [, name, angled] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(given) ?? [];
    const address = (angled ?? given).trim();
    return isAddress(address) ? { name: name?.trim() || undefined, address } : undefined;
  },
};

/** As stores know them: a bucket is part of URLs. */
export const bucketName: Value<string> = {
  expected: 'the name of a bucket: letters, digits, dots, dashes and underscores, at most 63',
  read: given => /^[A-Za-z\d][\w.-]{0,62}$/.test(given) ? given : undefined,
};

export const oneLine: Value<string> = { expected: 'text in one line', read: given => /\p{Cc}/u.test(given) ? undefined : given };

/** `*` stays as it is: whether it may stand here depends on the environment. */
export const origins: Value<readonly string[]> = {
  expected: 'a comma-separated list of origins, such as https://app.example.com',
  read(given) {
    const found = given.split(',').map(item => item.trim()).filter(item => item !== '').map(origin);
    return found.every(item => item !== undefined) ? Object.freeze(found) : undefined;
  },
};

function origin(given: string): string | undefined {
  if (given === '*') return given;
  const url = parsedHttpUrl(given);
  return url?.pathname === '/' && url.search === '' && url.hash === '' ? url.origin : undefined;
}

/** `*`, `image/*` or `image/png`, in lower case. */
export const mimeTypes: Value<readonly string[]> = {
  expected: 'a comma-separated list of types, such as image/*, application/pdf',
  read(given) {
    const found = given.toLowerCase().split(',').map(item => item.trim());
    return found.every(item => /^(?:\*|\*\/\*|[\w.+-]+\/(?:\*|[\w.+-]+))$/.test(item)) ? Object.freeze(found) : undefined;
  },
};

function parsedHttpUrl(given: string): URL | undefined {
  const url = URL.parse(given);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain ? url : undefined;
}

export const email: Value<string> = {
  expected: 'an email address',
  read: given => given.length <= 255 ? normalAddress(given) : undefined,
};

/** Issued by a third party; no minimum length. */
export const password: Value<string> = { ...text, secret: true };

/** Without this check every new account could be an admin. */
export const role: Value<string> = {
  expected: 'the name of a role other than admin, anon and service, without commas',
  read: given => /^[^,]+$/.test(given) && !['admin', 'anon', 'service'].includes(given) ? given : undefined,
};

/** The empty string when everything is served from the root; else `/segment…` without a slash at the end. */
export const basePath: Value<string> = {
  expected: 'a path such as /api, of letters, digits, dots, dashes and underscores',
  read(given) {
    const segments = given.split('/').filter(segment => segment !== '');
    return segments.every(isPlainSegment) ? segments.map(segment => `/${segment}`).join('') : undefined;
  },
};

export const path: Value<string> = {
  expected: 'a path that starts with /, of letters, digits, dots, dashes and underscores',
  read: given => given.startsWith('/') && given.slice(1).split('/').every(isPlainSegment) ? given : undefined,
};

function isPlainSegment(segment: string): boolean {
  return /^[\w.~-]+$/.test(segment) && !/^\.\.?$/.test(segment);
}

export const secret: Value<string> = {
  expected: 'at least 32 characters, and not a well-known example value',
  secret: true,
  read: given => given.length >= 32 && !isWeakSecret(given) ? given : undefined,
};

/** The one that is used, then those that were. */
export const secrets: Value<readonly string[]> = {
  expected: `one or more secrets, separated by commas, each of ${secret.expected}`,
  secret: true,
  read(given) {
    const found = given.split(',').map(item => secret.read(item.trim()));
    return found.every(item => item !== undefined) ? Object.freeze(found) : undefined;
  },
};

/** The key itself is checked where it is used. */
export const privateKey: Value<string> = { ...text, secret: true };

/** A secret that clients send in a header, where nothing but visible ASCII arrives as it was written. */
export const headerSecret: Value<string> = {
  expected: 'at least 32 visible ASCII characters without spaces, and not a well-known example value',
  secret: true,
  read: given => /^[\x21-\x7e]+$/.test(given) ? secret.read(given) : undefined,
};

/** The same of any length, where it opens nothing but numbers. */
export const token: Value<string> = {
  expected: 'visible ASCII characters without spaces',
  secret: true,
  read: given => /^[\x21-\x7e]+$/.test(given) ? given : undefined,
};
