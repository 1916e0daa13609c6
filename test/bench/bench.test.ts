import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { IS_LONG } from '#test/support/generators.ts'

/** The report of a benchmark. */
async function reportOf(scenario: string, ...options: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(REPOSITORY, 'bench/main.ts'), scenario, ...options],
    { cwd: REPOSITORY },
  )
  return stdout
}

/** One scenario in the short form: each starts a service of its own. */
const others = IS_LONG ? it : () => {}

describe('a benchmark that measures very little', function () {
  this.timeout(300_000)

  it('a benchmark of very few signals prints the figures of an entry, and of an entry with its exit, as ratios to the floor', async () => {
    const report = await reportOf('signal', '--signals', '3', '--concurrency', '2', '--warm-up', '2')
    for (const title of ['p50 one at a time, ms', 'p50 with 2 at once, ms', 'CPU of a call, ms'])
      assert.match(report, new RegExp(`^${title} +[\\d.]+( +[\\d.]+ +\\([\\d.]+\\)){2}$`, 'm'))
  })

  it('a benchmark of the cost of very few signals finds the statements, transactions, calls and events that a signal with its exit may take', async () => {
    const report = await reportOf('cost', '--signals', '8', '--warm-up', '4')
    // Some are of the clock, and a fill that comes late costs a message, a task and some statements more.
    for (const [title, most] of [
      ['statements', 75],
      ['transactions', 50],
      ['calls to Temporal', 14],
      ['events of the history', 22],
    ] as const) {
      const [, figure] = new RegExp(`^${title} +([\\d.]+)$`, 'm').exec(report) ?? []
      assert.ok(Number(figure) > 0 && Number(figure) <= most, `${title}: ${figure} of at most ${most}`)
    }
    assert.match(report, /^workflow sandbox +[\d.]+$/m)
  })

  others('a benchmark of an installation at rest prints its processor time and statements', async () => {
    const report = await reportOf('idle', '--positions', '1', '--seconds', '2', '--settle', '1')
    for (const title of ['no position', 'open session', 'closed session'])
      assert.match(report, new RegExp(`^${title}( +[\\d.]+){6}$`, 'm'))
  })

  others('a benchmark of a very small burst lets every scheduled signal out, and prints when', async () => {
    const report = await reportOf('burst', '--signals', '3', '--exits', '0')
    assert.match(report, /^entries \/ floor +[\d.]+$/m)
  })

  others('a benchmark of very few stops prints their ratios to an exit at once', async () => {
    const report = await reportOf('stops', '--signals', '1')
    assert.match(report, /^stop and target +[\d.]+ ms +[\d.]+ ms +[\d.]+$/m)
  })

  others(
    'a benchmark of signals beside few events prints their ratios, and receives each delivery once',
    async () => {
      const report = await reportOf('events', '--rounds', '1', '--signals', '2', '--events', '2')
      assert.match(report, /^webhooks, backlog( +[\d.]+ ms){2}( +[\d.]+){5}$/m)
      assert.match(report, /^each of \d+ deliveries received once: yes$/m)
    },
  )

  others(
    'a benchmark of another person beside short floods prints the answers to the person and to every flood',
    async () => {
      const report = await reportOf('flood', '--seconds', '2')
      for (const by of ['nobody', 'stranger', 'token', 'ten-tokens', 'hook', 'eighteen-hooks'])
        assert.match(report, new RegExp(`^signals beside ${by} .* × \\d+$`, 'm'))
      for (const line of [
        'stranger: \\d+ queries',
        'ten-tokens: \\d+ signals',
        'eighteen-hooks: \\d+ messages',
      ])
        assert.match(report, new RegExp(`^${line}: \\d+ × `, 'm'))
    },
  )
})
