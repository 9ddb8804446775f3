/** A file of a backup. Others may lie beside it, of other databases or of other programs: they are shown, and never deleted. */
export const DUMP = '.dump';
/** The roles of the server, beside the dump. */
export const ROLES = '.globals.sql';

const STAMP = /-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.dump$/;

/** `service-<database>-<UTC>`, as in service-shop-20260714T030000Z. */
export function backupName(database: string, at: Date): string {
  return `${prefixOf(database)}${at.toISOString().replace(/\.\d+Z$/, 'Z').replace(/[-:]/g, '')}`;
}

/** Whether the file is the dump of a backup of this database. */
export function isBackupOf(database: string, name: string): boolean {
  const prefix = prefixOf(database);
  return name.startsWith(prefix) && STAMP.exec(name)?.index === prefix.length - 1;
}

/** The time that the name of a dump tells. */
export function timeOf(name: string): Date | undefined {
  const [, ...parts] = STAMP.exec(name) ?? [];
  const [year = '', month = '', day = '', hour = '', minute = '', second = ''] = parts;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** The name of the roles that belong to a dump. */
export function rolesOf(dump: string): string {
  return `${dump.slice(0, -DUMP.length)}${ROLES}`;
}

/** The name of the dump that roles belong to. */
export function dumpOf(roles: string): string {
  return `${roles.slice(0, -ROLES.length)}${DUMP}`;
}

export function isDump(name: string): boolean {
  return name.endsWith(DUMP) && name.length > DUMP.length;
}

/** The name of a dump, or of roles. */
export function isOfBackup(name: string): boolean {
  return isDump(name) || (name.endsWith(ROLES) && name.length > ROLES.length);
}

/** Any other character is percent-encoded, so that a name is one of a file on every system. */
function prefixOf(database: string): string {
  const encoded = [...Buffer.from(database)].map(byte => {
    const character = String.fromCharCode(byte);
    return /[\w.-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return `service-${encoded.join('')}-`;
}
