import { topic } from '../../process/bus/topic.ts';

/** How the last audit of row security went: `result` is what service.audit() returned when it last succeeded. */
export type AuditState = { status: 'ok' | 'pending' | 'failed'; error?: string; result: object | null };

/** Published after each audit. */
export const AUDITED = topic<AuditState>('audit', { isKept: true });
