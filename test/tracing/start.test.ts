import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { apiSettings, readSettings, SettingsError, workerSettings } from '#config/env.ts'
import { REPOSITORY } from '#test/architecture/source-files.ts'

const read = (environment: Record<string, string>) => readSettings(workerSettings, environment)

/** The packages of OpenTelemetry that a process loads which starts to trace with these settings. */
async function packagesLoaded(settings: object): Promise<string[]> {
  const program = `
    import { registerHooks } from 'node:module'
    const seen = new Set()
    registerHooks({ resolve(name, context, next) {
      if (/^@opentelemetry\\/[\\w-]+$/.test(name)) seen.add(name)
      return next(name, context)
    } })
    const { startTracing } = await import('#tracing/start.ts')
    await import('#tracing/spans.ts')
    const tracing = await startTracing('test', 'build', ${JSON.stringify(settings)}, console)
    await tracing.stop()
    console.log(JSON.stringify([...seen].toSorted()))`
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
    { cwd: REPOSITORY },
  )
  return JSON.parse(stdout) as string[]
}

describe('the export of traces', function () {
  this.timeout(20_000)

  it('loads nothing but the API without an endpoint', async () => {
    assert.deepEqual(await packagesLoaded({ TRACES_RATIO: 1 }), ['@opentelemetry/api'])
  })

  it('loads the SDK with one', async () => {
    const settings = { TRACES_RATIO: 1, TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces' }
    assert.ok((await packagesLoaded(settings)).includes('@opentelemetry/sdk-trace'))
  })

  it('the export of traces is off, and whole, unless it is set', () => {
    for (const settings of [apiSettings, workerSettings]) {
      const { TRACES_ENDPOINT, TRACES_RATIO } = readSettings(settings, {})
      assert.deepEqual([TRACES_ENDPOINT, TRACES_RATIO], [undefined, 1])
    }
    const { TRACES_RATIO } = read({
      TRACES_ENDPOINT: 'https://tempo.example.com/v1/traces',
      TRACES_RATIO: '0.05',
    })
    assert.equal(TRACES_RATIO, 0.05)
  })

  for (const [environment, words] of [
    [{ TRACES_ENDPOINT: 'collector:4318' }, 'must look like http://127.0.0.1:4318/v1/traces'],
    [{ TRACES_ENDPOINT: 'ftp://collector/v1/traces' }, 'must look like http://127.0.0.1:4318/v1/traces'],
    [{ TRACES_ENDPOINT: 'http://collector:4318' }, 'must name the path too'],
    [{ TRACES_ENDPOINT: 'http://me:secret@collector:4318/v1/traces' }, 'must not hold a user or a password'],
    [{ TRACES_RATIO: '1.5' }, 'must be a number from 0 to 1'],
    [{ TRACES_RATIO: '-0.1' }, 'must be a number from 0 to 1'],
    [{ TRACES_RATIO: 'half' }, 'must be a number from 0 to 1'],
  ] as const)
    it(`refuses ${JSON.stringify(environment)}`, () => {
      assert.throws(
        () => read({ ...environment }),
        (error: unknown) => {
          assert.ok(error instanceof SettingsError)
          assert.ok(error.message.includes(words), error.message)
          assert.ok(!error.message.includes('secret'))
          return true
        },
      )
    })
})
