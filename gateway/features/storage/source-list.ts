import { privateReply } from '../../http/private-reply.ts';
import type { Call, Reply } from '../../http/route.ts';
import type { StorageOptions } from './options.ts';

/** Where files may lie, for whoever may call at all. */
export async function listSources(call: Call, { caller, counted, sources }: StorageOptions): Promise<Reply> {
  await counted(call, await caller(call));
  const data = sources.all.map(({ key, engine, label }) => ({ key, engine, transport: 'server', ...(label !== undefined && { label }) }));
  return privateReply({ data });
}
