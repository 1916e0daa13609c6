import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REPOSITORY } from '../architecture/source-files.ts'

/** The lines that a logger writes to the standard output of a process of its own. */
const written = (calls: string): string[] =>
  execFileSync(process.execPath, nodeArguments(calls), { encoding: 'utf8' }).trimEnd().split('\n')

const nodeArguments = (calls: string): string[] => [
  '--disable-warning=ExperimentalWarning',
  '--input-type=module',
  '--eval',
  `import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
   import { createLogger } from ${JSON.stringify(join(REPOSITORY, 'config/logger.ts'))}
   const log = createLogger('api', { LOG_LEVEL: 'info', LOG_FORMAT: 'json', LOG_FILE: process.env.FILE })
   ${calls}`,
]

describe('the logger', function () {
  this.timeout(30_000)

  it('writes one JSON line with the UTC instant in milliseconds, the level and the process', () => {
    const lines = written("log.info({ requestId: 'r-1' }, 'request')")
    assert.equal(lines.length, 1)
    const { time, level, name, msg, requestId } = JSON.parse(lines[0]!) as Record<string, string>
    assert.match(time!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual([level, name, msg, requestId], ['info', 'api', 'request', 'r-1'])
  })

  it('redacts secrets by their names, three levels deep', () => {
    const [line] = written(
      "log.info({ password: 'S1', a: { token: 'S2', b: { secretKey: 'S3' } }, headers: { 'x-api-key': 'S4' } }, 'm')",
    )
    assert.doesNotMatch(line!, /S[1-4]/)
    assert.match(line!, /\[redacted\]/)
  })

  it('loses what finds no room on the disk, and its process goes on', () => {
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(
      process.execPath,
      nodeArguments(`log.info('first')
        log.fatal('second')
        await new Promise((resolve) => setTimeout(resolve, 200))
        log.info('third')
        process.stderr.write('still there')`),
      { encoding: 'utf8', stdio: ['ignore', full, 'pipe'], timeout: 20_000 },
    )
    closeSync(full)
    assert.deepEqual([status, stderr], [0, 'still there'])
  })

  it('writes what it was given before the process exits', () => {
    assert.equal(
      written(`for (let line = 0; line < 1_000; line += 1) log.info('line')\n process.exit(0)`).length,
      1_000,
    )
  })

  it('the logger is set aside at 20 MB while it is written, in three earlier parts, and no line is lost or cut', function () {
    const folder = mkdtempSync(join(tmpdir(), 'durable-trader-logs-'))
    try {
      const file = join(folder, 'api.log')
      const output = openSync(file, 'a', 0o600)
      const { status, stderr } = spawnSync(
        process.execPath,
        nodeArguments(`const text = 'x'.repeat(900)
          // Lines are lost on purpose where a disk is slower than what is logged: 1,000 of them at most are under way.
          const endsWith = (part, n) => {
            if (!existsSync(part)) return false
            const descriptor = openSync(part)
            const end = Buffer.alloc(1_200)
            readSync(descriptor, end, 0, end.length, Math.max(0, fstatSync(descriptor).size - end.length))
            closeSync(descriptor)
            return end.includes('"n":' + n + ',')
          }
          const isWritten = (n) => ['', '.1'].some((end) => endsWith(process.env.FILE + end, n))
          for (let n = 0; n < 110_000; n += 1) {
            log.info({ n, text }, 'line')
            while (n % 1_000 === 0 && !isWritten(n)) await new Promise((resolve) => setTimeout(resolve, 1))
          }`),
        {
          encoding: 'utf8',
          stdio: ['ignore', output, 'pipe'],
          timeout: 25_000,
          env: { ...process.env, FILE: file },
        },
      )
      closeSync(output)
      assert.deepEqual([status, stderr], [0, ''])
      assert.deepEqual(readdirSync(folder).toSorted(), ['api.log', 'api.log.1', 'api.log.2', 'api.log.3'])
      const parts = ['.3', '.2', '.1', ''].map((end) => readFileSync(`${file}${end}`, 'utf8'))
      for (const part of parts) assert.ok(part.length < 26 << 20, `${part.length} characters`)
      assert.equal(statSync(`${file}.1`).mode & 0o777, 0o600)
      const numbers = parts
        .flatMap((part) => part.trimEnd().split('\n'))
        .map((line) => (JSON.parse(line) as { n: number }).n)
      assert.equal(numbers.at(-1), 109_999)
      assert.deepEqual(
        numbers,
        Array.from(numbers, (_, index) => numbers[0]! + index),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('names the trace of a signal or a manual order, and that of the signal where a line names both', () => {
    const signal = '0b9e1c1e-6f4e-4d0f-9d3a-6a1d6f1f0a11'
    const order = '2d1f0c3b-4a5e-4b6c-9d7e-8f9a0b1c2d3e'
    const lines = written(`
      log.info({ signalId: '${signal}', orderId: '${order}' }, 'm')
      log.info({ workflowId: 'signal-${signal}' }, 'm')
      log.info({ clientOrderId: '${signal}-x2' }, 'm')
      log.info({ signalId: null, orderId: '${order}' }, 'm')
      log.info({ requestId: '${order}', clientOrderId: 'by-hand' }, 'm')
      log.info('m')`)
    const [ofSignal, ofOrder] = [signal, order].map((id) => id.replaceAll('-', ''))
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { traceId?: string }).traceId),
      [ofSignal, ofSignal, ofSignal, ofOrder, undefined, undefined],
    )
  })
})
