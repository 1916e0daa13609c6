import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A collector of traces: a process of its own, so that what it does is not counted, which takes all and keeps nothing. */
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => response.setHeader('content-type', 'application/json').end('{}'))
})
server.listen(0, '127.0.0.1', () => {
  process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`)
})
for (const event of ['SIGTERM', 'disconnect'] as const) process.once(event, () => process.exit())
