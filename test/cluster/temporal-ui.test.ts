import assert from 'node:assert/strict'
import { TEMPORAL_UI } from '#test/cluster/programs.ts'
import { temporalUi } from '#test/cluster/temporal-ui.ts'
import { ManagedProcess } from '#local/processes/managed-process.ts'
import { RunRecord } from '#local/processes/run-record.ts'
import { hiddenAddress } from '#local/start/parts.ts'
import { goProgramPath, temporalAddress } from '#test/support/servers.ts'
import { useTemporaryFolder } from '#test/local/temporary-folder.ts'

const WORKFLOW = '/api/v1/namespaces/default/workflows/signal-1'
/** Requests of the UI's pages that lose an exit, or act in a signal's name. */
const WRITES = [
  [`POST ${WORKFLOW}/terminate`, {}],
  [`POST ${WORKFLOW}/cancel`, {}],
  [`POST ${WORKFLOW}/reset`, { workflowTaskFinishEventId: '4' }],
  [`POST ${WORKFLOW}/signal/orderChanged`, {}],
  [`POST ${WORKFLOW}/update/approveSignal`, {}],
  ['POST /api/v1/namespaces/default/workflows/signal-2', { workflowType: { name: 'signalWorkflow' } }],
  ['POST /api/v1/namespaces/default/batch-operations/1', {}],
  ['POST /api/v1/namespaces/default/schedules/sync-accounts/patch', { patch: { pause: 'x' } }],
  ['DELETE /api/v1/namespaces/default/schedules/sync-accounts', undefined],
] as const

describe("Temporal's UI of a cluster", function () {
  this.timeout(60_000)
  const folder = useTemporaryFolder()
  let program: string
  let ui: ManagedProcess | undefined
  before(async function () {
    // Where it is not at hand it is built.
    this.timeout(30 * 60_000)
    program = await goProgramPath(TEMPORAL_UI)
  })
  afterEach(() => ui?.stop())

  it('shows what Temporal has, and refuses every request that writes', async () => {
    const [host, port] = (await temporalAddress()).split(':')
    const at = await hiddenAddress()
    const record = await RunRecord.claim(folder.path('run.json'), folder.path())
    const spec = temporalUi({
      program,
      at,
      frontends: { host: host!, port: Number(port) },
      codecEndpoint: undefined,
      configFolder: folder.path('config'),
      logFolder: folder.path(),
    })
    ui = await ManagedProcess.start(spec, record)
    await ui.untilReady()
    let token: Record<string, string> = {}
    const ask = async (request: string, body?: object): Promise<Response> => {
      const [method, path] = request.split(' ') as [string, string]
      return fetch(`http://${at.host}:${at.port}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...token },
        ...(body && { body: JSON.stringify(body) }),
      })
    }

    const shown = await ask('GET /api/v1/namespaces/default')
    assert.equal(shown.status, 200)
    // As its own pages do: without it a request is refused for that reason.
    const [, text] = /_csrf=([^;]+)/.exec(shown.headers.get('set-cookie')!)!
    token = { Cookie: `_csrf=${text}`, 'X-CSRF-TOKEN': text! }
    // Pages ask workflows by such a request, which changes nothing; it comes to Temporal, where there is no such workflow.
    const query = await ask(`POST ${WORKFLOW}/query/signalProgress`, {})
    assert.equal(query.status, 404, await query.text())
    for (const [request, body] of WRITES) assert.equal((await ask(request, body)).status, 405, request)
    const settings = (await (await ask('GET /api/v1/settings')).json()) as Record<string, unknown>
    const switches = Object.keys(settings).filter((name) =>
      /^(DisableWriteActions|(Workflow(Terminate|Cancel|Reset|Signal|Update)|BatchActions|StartWorkflow)Disabled)$/.test(
        name,
      ),
    )
    assert.equal(switches.length, 8, JSON.stringify(settings))
    for (const name of switches) assert.equal(settings[name], true, name)
    await record.close()
  })
})
