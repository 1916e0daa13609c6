import { readFileSync } from 'node:fs'
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
  /** The request that was sent once all others were, and the milliseconds of the processor that the API had until its answer. */
  behind: { status: number; cpu: number }
  statuses: Record<string, number>
  bodies: Record<string, string>
}

/** Milliseconds of the processor that the main thread has had, which is the API's. Linux alone tells them of another thread. */
const cpuOfApi = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000

/** In a thread of its own, whose processor time is none of the API's. */
function main({
  origin,
  requests,
  behind,
  hangsUp,
}: {
  origin: string
  requests: FloodRequest[]
  behind: FloodRequest
  hangsUp: boolean
}): void {
  const { hostname, port } = new URL(origin)
  const agent = new Agent({ maxSockets: Infinity })
  const answers: FloodAnswers = { behind: { status: 0, cpu: Infinity }, statuses: {}, bodies: {} }
  let [unsent, unanswered] = [requests.length, requests.length + 1]
  const answered = (status: string, body: string): void => {
    answers.statuses[status] = (answers.statuses[status] ?? 0) + 1
    answers.bodies[status] ??= body
    ended()
  }
  const ended = (): void => {
    if (--unanswered === 0) parentPort!.postMessage(answers, [])
  }
  const sendBehind = (): void => {
    const { method, path, headers, body } = behind
    const before = cpuOfApi()
    const answeredWith = (status: number): void => {
      answers.behind = { status, cpu: cpuOfApi() - before }
      ended()
    }
    request({ hostname, port, method, path, headers, agent }, (response) => {
      answeredWith(response.statusCode!)
      response.resume()
    })
      .once('error', () => answeredWith(0))
      .end(body)
  }
  if (requests.length === 0) sendBehind()
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
      if (--unsent === 0) sendBehind()
      if (hangsUp) sent.destroy()
    })
  }
}

if (parentPort) main(workerData as Parameters<typeof main>[0])
