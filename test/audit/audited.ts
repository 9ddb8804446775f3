import type postgres from 'postgres';

export type Finding = {
  id: string; severity: string; title: string; target: Record<string, string>; detail: string; impact: string; fix: string | null;
  docs: string; confidence: string;
};
export type Audit = {
  scannedAt: string; database: { host: string; name: string }; serverVersion: string; platform: string; scannerIsPrivileged: boolean;
  exposedRoles: string[]; stats: Record<string, number>; findings: Finding[];
  diagnostics: {
    degraded: { what: string; error: string }[]; tlsVerificationDisabled: boolean; excludedSchemas: { schema: string; reason: string }[];
    unrecognizedGrantees: string[]; scanningAsExposedRole: string | null;
  };
};

/** @throws Error for a check that could not run. */
export async function audited(sql: postgres.Sql | postgres.TransactionSql): Promise<Audit> {
  const [row] = await sql<{ audit: Audit }[]>`select service.audit() as audit`;
  if (row === undefined) throw new Error('no answer');
  if (row.audit.diagnostics.degraded.length > 0) throw new Error(JSON.stringify(row.audit.diagnostics.degraded));
  return row.audit;
}

export function briefly({ severity, id, target }: Finding): string {
  return `${severity} ${id} ${JSON.stringify(target)}`;
}
