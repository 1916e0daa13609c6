import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorBody } from './envelopes.ts'
import { ApiError } from './errors.ts'

/** What cannot be read by the code of Node's parser: the status that Node answers, and the cause in words. */
const KNOWN: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are longer than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time'],
}
const UNREADABLE =
  'The request cannot be read as HTTP: a header has a line break or a control character in it, as it is copied behind a token, or the request is cut'

/**
 * Answers what Node cannot read as a request, in the words of every other answer, and ends the connection. Nothing of the request
 * is known, and nothing of it is repeated.
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Nobody reads it, or an answer is under way, into which nothing may be written.
  const underWay = (socket as Duplex & { _httpMessage?: { headersSent: boolean } | null })._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || underWay?.headersSent === true) {
    socket.destroy()
    return
  }
  const [status, message] = KNOWN[error.code ?? ''] ?? [400, UNREADABLE]
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody('standard', new ApiError('VALIDATION_ERROR', { message }), requestId))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
