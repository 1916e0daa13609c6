import { Agent, request } from 'node:http'
import { connect } from 'node:net'

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

export interface RawAnswer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
}

/** Sends an address as it is written; `fetch` would tidy it up first. */
export const askRaw = (
  origin: string,
  method: string,
  target: string,
  headers: Record<string, string | string[]> = {},
  body?: string,
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const all = {
      ...headers,
      ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
    }
    const sent = request({ hostname, port, method, path: target, headers: all, agent }, (response) => {
      let text = ''
      response.on('data', (bytes: Buffer) => (text += bytes.toString()))
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })

/** Writes bytes to the port and answers everything that comes back until the other side hangs up. */
export const speak = (origin: string, lines: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    let heard = ''
    const socket = connect(Number(port), hostname, () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    socket.on('data', (bytes) => (heard += bytes.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(heard))
  })
