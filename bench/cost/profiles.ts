import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string }; children?: number[] }[]
  samples: number[]
  /** Microseconds before each sample; the first follows `startTime`. */
  timeDeltas: number[]
  /** Microseconds of the monotonic clock. */
  startTime: number
}

/** Kinds of work, by the innermost frame whose file is listed. */
const KINDS: readonly [string, RegExp][] = [
  ['payload encryption', /config\/payload-codec|node:internal\/crypto/],
  ['SQL', /node_modules\/(pg|pg-[a-z]+|postgres-[a-z]+|kysely|@mikro-orm)\/|^db\//],
  ['gRPC and payloads', /node_modules\/(@temporalio|@grpc|protobufjs|@protobufjs|long|nexus-rpc)\//],
  ['JSON and zod', /node_modules\/zod\/|^contract\//],
  [
    'logs and traces',
    /node_modules\/(pino|sonic-boom|thread-stream|@opentelemetry)|^tracing\/|config\/logger/,
  ],
  [
    'HTTP',
    /node_modules\/(koa|@koa|undici|ws|helmet|cookies|raw-body|co-body)|node:_http|node:internal\/deps\/undici|^api\/http\//,
  ],
  ['own code', /^(api|worker|activities|brokers|domain|venue|config|workflows)\//],
]
const NAMED: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'garbage'],
  ['(program)', 'outside of JavaScript'],
  ['(idle)', 'idle'],
])

export interface Shares {
  /** Milliseconds by kind, without idle time. */
  kinds: Map<string, number>
  functions: Map<string, number>
}

/** Span of the monotonic clock in microseconds, and the repository's path with a slash. */
interface Span {
  from: number
  until: number
  project: string
}

/** Work within a span, from the profiles of a folder. Threads with workflows are a separate kind. */
export function sharesOf(folder: string, span: Span): Shares {
  const shares: Shares = { kinds: new Map(), functions: new Map() }
  for (const file of readdirSync(folder))
    addProfile(shares, JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile, span)
  return shares
}

function addProfile(
  { kinds, functions }: Shares,
  { nodes, samples, timeDeltas, startTime }: Profile,
  { from, until, project }: Span,
): void {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const pathOf = (url: string): string => url.replace('file://', '').replace(project, '')
  const isSandbox = nodes.some(({ callFrame }) => /workflow-worker-thread|evalmachine/.test(callFrame.url))
  const kindOf = (leaf: number): string => {
    const name = NAMED.get(byId.get(leaf)!.callFrame.functionName)
    if (name !== undefined) return isSandbox && name !== 'idle' ? `workflow sandbox: ${name}` : name
    if (isSandbox) return 'workflow sandbox'
    for (let at: number | undefined = leaf; at !== undefined; at = parents.get(at)) {
      const path = pathOf(byId.get(at)!.callFrame.url)
      const kind = KINDS.find(([, files]) => files.test(path))
      if (kind) return kind[0]
    }
    return 'sockets and timers'
  }
  const known = new Map<number, string>()
  let at = startTime
  for (const [index, leaf] of samples.entries()) {
    at += timeDeltas[index]!
    if (at < from || at > until) continue
    const kind = known.get(leaf) ?? kindOf(leaf)
    known.set(leaf, kind)
    if (kind === 'idle') continue
    const milliseconds = (timeDeltas[index + 1] ?? 0) / 1_000
    kinds.set(kind, (kinds.get(kind) ?? 0) + milliseconds)
    const { functionName, url } = byId.get(leaf)!.callFrame
    const name = `${functionName || '(anonymous)'} ${pathOf(url).split('/').slice(-3).join('/')}`
    functions.set(name, (functions.get(name) ?? 0) + milliseconds)
  }
}
