import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/** Requests that are sent all at once. */
export interface FloodRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}

/** What the flood was answered: how many by status, and the first answer of each. */
export interface FloodAnswers {
  statuses: Record<string, number>
  bodies: Record<string, string>
}

const tell = (message: 'sent' | FloodAnswers): void => parentPort!.postMessage(message, [])

/** In a thread of its own, whose processor time is none of the API's. */
function main({
  origin,
  requests,
  hangsUp,
}: {
  origin: string
  requests: FloodRequest[]
  hangsUp: boolean
}): void {
  const { hostname, port } = new URL(origin)
  const agent = new Agent({ maxSockets: Infinity })
  const answers: FloodAnswers = { statuses: {}, bodies: {} }
  let [unsent, unanswered] = [requests.length, requests.length]
  const answered = (status: string, body: string): void => {
    answers.statuses[status] = (answers.statuses[status] ?? 0) + 1
    answers.bodies[status] ??= body
    if (--unanswered === 0) tell(answers)
  }
  for (const { method, path, headers, body } of requests) {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) }
    const sent = request(
      { hostname, port, method, path, headers: { ...headers, ...length }, agent },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => (text += part))
        response.once('end', () => answered(String(response.statusCode), text))
      },
    )
    sent.once('error', () => answered('broken off', ''))
    sent.end(body, () => {
      if (--unsent === 0) tell('sent')
      if (hangsUp) sent.destroy()
    })
  }
}

if (parentPort) main(workerData as Parameters<typeof main>[0])
