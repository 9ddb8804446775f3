// Every form of rule, with the rows that each kind of caller passes with.
import type { Caller } from './client.ts';

export const [ANN, BOB] = ['a0000000-0000-4000-8000-00000000000a', 'b0000000-0000-4000-8000-00000000000b'];

/** In the order of the table's columns, as the gateway tells them to service.enter. */
export const CALLERS: Record<string, Caller> = {
  visitor: { uid: 'anonymous', roles: ['anon'] },
  guest: { uid: 'g1', guest: true, claims: { org: 'o1' } },
  ann: { uid: ANN, claims: { org: 'o1', level: 5 } },
  bob: { uid: BOB, claims: { org: 'o2', level: 'all' } },
  eve: { uid: 'eve', roles: ['editor', 'writer'] },
  admin: { uid: 'root', roles: ['admin'] },
  apiKey: { uid: 'api-key:1', roles: ['service'] },
  adminKey: { uid: 'api-key:2', roles: ['service', 'admin'] },
  serviceKey: { uid: 'service', roles: ['admin'] },
};
export const isAdmin = ({ roles = [] }: Caller) => roles.includes('admin');

/** a is Ann's, b is Bob's. */
export const ROWS = {
  a: { owner: ANN, u: ANN, org: 'o1', open: true, level: 5 }, b: { owner: BOB, u: BOB, org: 'o2', open: false, level: 9 },
};
export type RowName = keyof typeof ROWS;
export const NAMES = Object.keys(ROWS) as RowName[];

export type Form = {
  rule: object;
  /** The rows that each caller passes with, stored and (unless it is the same) written. */
  stored: string;
  written?: string;
  /** The same by hand; t stands for the table. */
  using: string;
  check?: string;
};

const uid = { kind: 'authUid' };
const field = (name: string) => ({ kind: 'field', name });
const literal = (value: unknown) => ({ kind: 'literal', value });
const compare = (left: object, op: string, right: object) => ({ kind: 'compare', op, left, right });
const all = (...operands: object[]) => ({ kind: 'and', operands });
const any = (...operands: object[]) => ({ kind: 'or', operands });
const mine = compare(field('owner'), 'eq', uid);
const open = compare(field('open'), 'eq', literal(true));
const member = { kind: 'existsIn', collection: 'member', where: all(compare(field('org'), 'eq', { kind: 'outerField', name: 'org' }),
  compare(field('uid'), 'eq', uid)) };

const ALL_ACCOUNTS = 'ab ab ab ab ab ab ab ab ab';
const NOBODY = '- - - - - - - - -';
const OWNERS = '- - a b - - - - -';
const OPEN = 'a a a a a a a a a';
const EDITORS = '- - - - ab - - - -';
const ASKED = '(select service.uid())';
export const has = (role: string) => `(select '${role}' = any (string_to_array(service.roles(), ',')))`;
const asUuid = `(select case when service.uid() ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then service.uid()::uuid end)`;

export const FORMS: Record<string, Form> = {
  //                                                                visitor guest ann bob eve admin apiKey adminKey serviceKey
  nothing: { rule: {}, stored: NOBODY, using: 'false' },
  public: { rule: { access: 'public' }, stored: ALL_ACCOUNTS, using: 'true' },
  of_role: { rule: { access: 'public', pgRoles: ['service_user'] }, stored: ALL_ACCOUNTS, using: 'true' },
  owner: { rule: { ownerField: 'owner' }, stored: OWNERS, using: `owner = ${ASKED}` },
  owner_uuid: { rule: { ownerField: 'u' }, stored: OWNERS, using: `u = ${asUuid}` },
  roles: { rule: { roles: ['editor'] }, stored: EDITORS, using: has('editor') },
  roles_public: { rule: { access: 'public', roles: ['editor'] }, stored: EDITORS, using: has('editor') },
  roles_service: { rule: { roles: ['service'] }, stored: '- - - - - - ab ab -', using: has('service') },
  roles_owner: { rule: { ownerField: 'owner', roles: ['editor'] }, stored: NOBODY, using: `${has('editor')} and owner = ${ASKED}` },
  using: { rule: { using: '{open}' }, stored: OPEN, using: 'open' },
  using_claim: {
    rule: { using: '{org} = auth.jwt() ->> \'org\'' }, stored: '- a a b - - - - -', using: 'org = (select service.jwt()) ->> \'org\'',
  },
  using_check: {
    rule: { using: '{open}', withCheck: '{owner} = auth.uid()' }, stored: OPEN, written: OWNERS, using: 'open', check: `owner = ${ASKED}`,
  },
  true: { rule: { condition: { kind: 'true' } }, stored: ALL_ACCOUNTS, using: 'true' },
  false: { rule: { condition: { kind: 'false' } }, stored: NOBODY, using: 'false' },
  server: { rule: { condition: { kind: 'serverContext' } }, stored: NOBODY, using: 'false' },
  authenticated: {
    rule: { condition: { kind: 'authenticated' } }, stored: '- ab ab ab ab ab ab ab ab', using: '(select service.uid() <> \'anonymous\')',
  },
  registered: {
    rule: { condition: { kind: 'registered' } }, stored: '- - ab ab ab ab ab ab ab',
    using: '(select service.uid() <> \'anonymous\' and not service.is_anonymous())',
  },
  overlap: {
    rule: { condition: { kind: 'rolesOverlap', roles: ['writer', 'service'] } }, stored: '- - - - ab - ab ab -',
    using: '(select string_to_array(service.roles(), \',\') && \'{writer,service}\')',
  },
  contain: {
    rule: { condition: { kind: 'rolesContain', roles: ['service', 'admin'] } }, stored: '- - - - - - - ab -',
    using: '(select string_to_array(service.roles(), \',\') @> \'{service,admin}\')',
  },
  compare: { rule: { condition: open }, stored: OPEN, using: 'open = true' },
  compare_uid: { rule: { condition: mine }, stored: OWNERS, using: `owner = ${ASKED}` },
  compare_claim: {
    rule: { condition: compare(field('level'), 'lte', { kind: 'authClaim', name: 'level' }) }, stored: '- - a - - - - - -',
    using: 'level <= (select case when service.jwt() ->> \'level\' ~ \'^\\d+$\' then (service.jwt() ->> \'level\')::integer end)',
  },
  compare_roles: {
    rule: { condition: compare({ kind: 'authRoles' }, 'eq', literal(['editor', 'writer'])) }, stored: EDITORS,
    using: '(select string_to_array(service.roles(), \',\')) = \'{editor,writer}\'',
  },
  not: { rule: { condition: { kind: 'not', operand: open } }, stored: 'b b b b b b b b b', using: 'not open = true' },
  and: {
    rule: { condition: all({ kind: 'registered' }, open) }, stored: '- - a a a a a a a',
    using: '(select service.uid() <> \'anonymous\' and not service.is_anonymous()) and open = true',
  },
  or: { rule: { condition: any(open, mine) }, stored: 'a a a ab a a a a a', using: `open = true or owner = ${ASKED}` },
  exists: {
    rule: { condition: member }, stored: '- a a - b - - - -',
    using: `exists (select from member _ex0 where _ex0.org = t.org and _ex0.uid = ${ASKED})`,
  },
  raw: {
    rule: { condition: all({ kind: 'raw', sql: '{open}' }, { kind: 'registered' }) }, stored: '- - a a a a a a a',
    using: 'open and (select service.uid() <> \'anonymous\' and not service.is_anonymous())',
  },
  check: { rule: { condition: open, check: mine }, stored: OPEN, written: OWNERS, using: 'open = true', check: `owner = ${ASKED}` },
};
export const text = { type: 'string' };
export const properties = {
  id: { type: 'string', isId: 'manual' }, owner: text, u: { type: 'string', columnType: 'uuid' }, org: text, open: { type: 'boolean' },
  level: { type: 'number', validation: { integer: true } }, note: text,
};
export const indexes = ['owner', 'u', 'org', 'level'].map(name => ({ on: [name], reason: 'the rules' }));
export const operations = ['select', 'insert', 'update', 'delete'] as const;
export type Operation = typeof operations[number];

/** The rows with which a caller passes, by the form's columns and, unless there is none, by another way in. */
export function expected(
  { stored, written = stored }: Form, operation: Operation, passes: (caller: Caller) => boolean = () => false,
): string {
  const by = (columns: string, i: number) => (row: RowName) => (columns.split(' ')[i] ?? '').includes(row);
  return Object.values(CALLERS).map((caller, i) => {
    const judged = { select: [stored], insert: [written], update: [stored, written], delete: [stored] }[operation];
    return NAMES.filter(row => passes(caller) || judged.every(columns => by(columns, i)(row))).join('') || '-';
  }).join(' ');
}
