import { ApiError } from '../../error.ts';
import { privateReply } from '../../http/private-reply.ts';
import type { Call, Route } from '../../http/route.ts';
import { proposalFrom } from './change.ts';
import { ACTIONS, createEditor } from './editor.ts';
import { createLiveSchema } from './live-schema.ts';
import type { RequireScope } from '../context.ts';
import type { SchemaOptions } from './options.ts';

/** Paths of before `/admin`: they answer as well, and say that they will go. */
const EARLIER = { Deprecation: 'true' };

/** Changes of the schema through the service: collection files, the database, git. */
export function schemaRoutes(requireScope: RequireScope, options: SchemaOptions): Route[] {
  const reader = (call: Call) => requireScope(call, 'schema:read');
  const writer = (call: Call) => requireScope(call, 'schema:write');
  const live = createLiveSchema(options);
  const editor = createEditor(options);
  return [
    { method: 'GET', path: '/admin/schema/status', handle: async call => privateReply(await live.status(await reader(call))) },
    { method: 'POST', path: '/admin/schema/plan', admit: reader, changesNothing: true, handle: async call => {
      const { uid } = await reader(call);
      return privateReply(await live.plan(proposalFrom(call.json()), { uid, signal: call.signal, mayEvaluate: await mayWrite(call) }));
    } },
    { method: 'POST', path: '/admin/schema/apply', admit: writer, handle: async call => {
      const caller = await writer(call);
      return privateReply(await live.apply(proposalFrom(call.json()), caller, call.signal));
    } },
    ...editorRoutes('/admin/schema-editor', {}),
    ...editorRoutes('/schema-editor', EARLIER),
  ];

  async function mayWrite(call: Call): Promise<boolean> {
    return writer(call).then(() => true, (error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return false;
      throw error;
    });
  }

  function editorRoutes(base: string, headers: Record<string, string>): Route[] {
    return [
      { method: 'GET', path: `${base}/status`, handle: async call => {
        await writer(call);
        return privateReply(editor.status(), { headers });
      } },
      ...Object.entries(ACTIONS).map(([name, action]): Route => ({
        method: 'POST', path: `${base}/${name}`, admit: writer, handle: async call => {
          const { uid } = await writer(call);
          await editor.edit(action, call.json(), { uid, signal: call.signal });
          return privateReply({ success: true }, { headers });
        },
      })),
    ];
  }
}
