/** An identifier as pg_dump writes it. */
const NAME = String.raw`("(?:[^"]|"")+"|[a-z_][\w$]*)`;
const CREATED = new RegExp(`^CREATE ROLE ${NAME};$`);
const ALTERED = new RegExp(`^ALTER ROLE ${NAME} WITH (.*);$`);
const GRANTED = new RegExp(`^GRANT ${NAME} TO ${NAME}\\b`);

/** Statements that name roles. A line of a function may look like one: it only makes a role too many. */
const NAMING = /^(?:GRANT|REVOKE|CREATE POLICY|ALTER DEFAULT PRIVILEGES) /;

/** Attributes that are restored. Rights over the whole server (SUPERUSER, CREATEROLE …) are not: they would go unnoticed. */
const KEPT = /\b(?:NO)?(?:INHERIT|LOGIN)\b|CONNECTION LIMIT \d+|PASSWORD '(?:[^']|'')*'|VALID UNTIL '[^']*'/g;

/** Where the roles are missing beside the dump: the role of every database of the service. */
const LEAST = 'CREATE ROLE service_user;\nALTER ROLE service_user WITH NOINHERIT NOLOGIN;';

/** The roles that a schema names, as they are written there. */
export function namedRoles(line: string, named: Set<string>): void {
  if (!NAMING.test(line)) return;
  for (const [name] of line.matchAll(/"(?:[^"]|"")+"|[A-Za-z_][\w$]*/g)) named.add(name);
}

/** The statements that make the roles that are named and missing, with their memberships. @param roles as pg_dumpall wrote them */
export function missingRoles(roles = LEAST, named: ReadonlySet<string>, existing: readonly string[]): string[] {
  const lines = roles.split('\n');
  const there = new Set(existing);
  const missing = new Set(lines.flatMap(line => {
    const [, name] = CREATED.exec(line) ?? [];
    return name !== undefined && named.has(name) && !there.has(plain(name)) ? [name] : [];
  }));
  return [
    ...[...missing].map(name => `create role ${name};`),
    ...lines.flatMap(line => {
      const [, name = '', attributes = ''] = ALTERED.exec(line) ?? [];
      const kept = attributes.match(KEPT) ?? [];
      return missing.has(name) && kept.length > 0 ? [`alter role ${name} with ${kept.join(' ')};`] : [];
    }),
    ...lines.flatMap(line => {
      const [, role = '', member = ''] = GRANTED.exec(line) ?? [];
      return missing.has(role) && (missing.has(member) || there.has(plain(member))) ? [`grant ${role} to ${member};`] : [];
    }),
  ];
}

function plain(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;
}
