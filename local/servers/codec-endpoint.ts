import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PayloadUnreadable, type PayloadCodec } from '#config/payload-codec.ts'
import type { TemporalPayload } from '#config/payload-seal.ts'
import { namesThisMachine } from '#domain/hook/host-name.ts'

const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024

export interface CodecEndpointOptions {
  host: string
  port: number
  codec: Pick<PayloadCodec, 'decode'>
  /** Origins of Temporal's UI, such as http://127.0.0.1:8233; other pages are denied. */
  origins: readonly string[]
}

interface JsonPayload {
  metadata?: Record<string, string>
  data?: string
}

/**
 * Decrypts payloads for Temporal's UI. It answers only pages of the UI, under a name of this machine, so that no page
 * on the internet can decrypt anything. It never encrypts: payloads for workers come from the service.
 */
export async function serveCodec(
  options: CodecEndpointOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    answer(options, request, response).catch(() => {
      // The fault says nothing about keys or data.
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, () => resolve())
  })
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  { codec, origins }: CodecEndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const origin = request.headers.origin ?? ''
  if (!namesThisMachine(request.headers.host) || !origins.includes(origin))
    return void response.writeHead(403).end()
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Vary', 'Origin')
  response.setHeader('Cache-Control', 'no-store')
  if (request.method === 'OPTIONS') {
    response.setHeader('Access-Control-Allow-Methods', 'POST')
    response.setHeader('Access-Control-Allow-Headers', 'content-type, x-namespace, authorization')
    return void response.writeHead(204).end()
  }
  if (request.method !== 'POST' || request.url !== '/decode') return void response.writeHead(404).end()
  const payloads = await readPayloads(request)
  if (!payloads) return void response.writeHead(400).end()
  try {
    const decoded = await codec.decode(payloads)
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ payloads: decoded.map(written) }))
  } catch (error) {
    if (!(error instanceof PayloadUnreadable)) throw error
    response.writeHead(422).end(error.message)
  }
}

/** Payloads of a request; null for none, or too many bytes. */
async function readPayloads(request: IncomingMessage): Promise<TemporalPayload[] | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_PAYLOAD_BYTES) return null
    chunks.push(chunk)
  }
  try {
    const { payloads } = JSON.parse(Buffer.concat(chunks).toString()) as { payloads: JsonPayload[] }
    return payloads.map(read)
  } catch {
    return null
  }
}

const read = ({ metadata = {}, data = '' }: JsonPayload): TemporalPayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')]),
  ),
  data: Buffer.from(data, 'base64'),
})

const written = ({ metadata, data }: TemporalPayload): JsonPayload => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
})
