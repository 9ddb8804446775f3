/** The app of bench/functions/hello.ts, as Hono's own server for Node serves it. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
app.get('/', c => c.json({ hello: 'world' }));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT) });
