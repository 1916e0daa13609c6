import { readFile } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const WEB = fileURLToPath(new URL('../../web', import.meta.url))
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The policy with which the service hands out the web application. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
  "connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; " +
  "form-action 'self'; require-trusted-types-for 'script'; trusted-types sw"

/** Builds the application into a folder. */
export const buildApp = async (folder: string): Promise<void> => {
  await build({
    configFile: join(WEB, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  })
}

/** The built application under its policy, and the API behind the same origin. */
export async function serveApp(folder: string, api: string): Promise<{ origin: string; close: () => void }> {
  const server: Server = createServer((asked, answer) => {
    if (/^\/(api|mailbox)\b/.test(asked.url ?? '')) return forward(api, asked, answer)
    void handOut(folder, asked, answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function forward(api: string, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, headers } = asked
  const onward = request(new URL(asked.url ?? '/', api), { method, headers }, (came) => {
    answer.writeHead(came.statusCode ?? 502, came.headers)
    answer.flushHeaders()
    came.pipe(answer)
  })
  onward.on('error', () => answer.destroy())
  answer.on('close', () => onward.destroy())
  asked.pipe(onward)
}

async function handOut(folder: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { pathname } = new URL(asked.url ?? '/', 'http://app')
  const name = extname(pathname) === '' ? '/index.html' : pathname
  const isText = /\.(js|css|html|svg)$/.test(name)
  const headers = {
    'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
    'Content-Security-Policy': POLICY,
  }
  const compressed = isText ? await readFile(join(folder, `${name}.br`)).catch(() => undefined) : undefined
  if (compressed) return void answer.writeHead(200, { ...headers, 'Content-Encoding': 'br' }).end(compressed)
  const plain = await readFile(join(folder, name)).catch(() => undefined)
  if (plain) answer.writeHead(200, headers).end(plain)
  else answer.writeHead(404).end()
}
