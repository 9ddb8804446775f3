import { object, textOf, type Field } from '../../../http/fields.ts';

export const keyName: Field<string> = {
  expected: 'must be a text of 1 to 255 characters',
  read: given => textOf(given, 255, name => name.trim() !== '')?.trim(),
};

export const scopeList: Field<string[]> = {
  expected: 'must be a list of at least one scope',
  read: given => Array.isArray(given) && given.length > 0 && given.length <= 200 && given.every(isText) ? [...new Set(given)] : undefined,
};

export const roleList: Field<string[]> = {
  expected: 'must be a list of role names without commas',
  read: given => Array.isArray(given) && given.length <= 100 && given.every(isRole)
    ? [...new Set(given)].filter(role => role !== 'service') : undefined,
};

export const rateLimit: Field<number | null> = {
  expected: 'must be a whole number above 0, or null',
  read: given => given === null || (typeof given === 'number' && Number.isInteger(given) && given > 0 && given < 2 ** 31)
    ? given : undefined,
};

export const moment: Field<string | null> = {
  expected: 'must be a time in ISO 8601 with its zone, or null',
  read: given => given === null ? null : textOf(given, 40, text => ISO.test(text) && !Number.isNaN(Date.parse(text))),
};
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

export const futureMoment: Field<string | null> = {
  expected: 'must be a time to come in ISO 8601 with its zone, or null',
  read: given => {
    const time = moment.read(given);
    return typeof time === 'string' && Date.parse(time) <= Date.now() ? undefined : time;
  },
};

type Permission = { collection: string; operations: string[] };

/** Permissions of keys before there were scopes. */
export const permissionList: Field<Permission[]> = {
  expected: 'must be a list of {collection, operations: ["read", "write", "delete"]}',
  read: given => Array.isArray(given) && given.length <= 200 && given.every(isPermission) ? given : undefined,
};

/** @param admin whether it was an admin's */
export function scopesOf(permissions: readonly Permission[], admin: boolean): string[] {
  const scopes = permissions.flatMap(({ collection, operations }) => operations.flatMap(operation => {
    if (collection === '*') return [`data:${operation}`, `storage:${operation}`, ...(operation === 'write' ? ['functions:invoke'] : [])];
    if (collection === 'storage') return [`storage:${operation}`];
    if (collection === 'functions') return operation === 'write' ? ['functions:invoke'] : [];
    if (collection.startsWith('functions/')) return operation === 'write' ? [`functions:invoke:${collection.slice(10)}`] : [];
    return [`data:${operation}:${collection}`];
  }));
  return [...new Set([...scopes, ...(admin ? ADMIN_SCOPES : [])])];
}
const ADMIN_SCOPES = ['users:read', 'users:write', 'schema:read', 'schema:write', 'backups:read', 'cron:read', 'cron:write', 'logs:read'];

function isText(given: unknown): given is string {
  return textOf(given, 300, text => text !== '') !== undefined;
}

function isRole(given: unknown): given is string {
  return textOf(given, 128, role => role.trim() !== '' && !role.includes(',') && role !== 'anon') !== undefined;
}

function isPermission(given: unknown): given is Permission {
  const { collection, operations } = (object.read(given) ?? {}) as Partial<Permission>;
  return isText(collection) && Array.isArray(operations) && operations.every(operation => ['read', 'write', 'delete'].includes(operation));
}
