import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessSpec } from '#local/processes/managed-process.ts'
import type { UiAddress } from '#local/servers/ui-gate.ts'
import { writePrivateJson } from '#local/start/secrets.ts'
import { connectTo, written, type Address } from './balancer.ts'

/** What Temporal's UI is started with. */
export type TemporalUi = {
  program: string
  /** Where it listens, which lets in whoever reaches it. */
  at: UiAddress
  frontends: Address
  /** Where it has payloads decrypted; undefined: it shows them encrypted. */
  codecEndpoint: string | undefined
  configFolder: string
  logFolder: string
}

/**
 * It has no sign-in, and workflows are what places exits. The first switch has its server refuse every request that writes; the
 * others take the buttons away.
 */
const READ_ONLY = {
  disableWriteActions: true,
  workflowTerminateDisabled: true,
  workflowCancelDisabled: true,
  workflowResetDisabled: true,
  workflowSignalDisabled: true,
  workflowUpdateDisabled: true,
  batchActionsDisabled: true,
  startWorkflowDisabled: true,
}

/** How to start Temporal's UI, read-only; writes its configuration. */
export function temporalUi({
  program,
  at,
  frontends,
  codecEndpoint,
  configFolder,
  logFolder,
}: TemporalUi): ProcessSpec {
  mkdirSync(configFolder, { recursive: true })
  writePrivateJson(join(configFolder, 'ui.yaml'), {
    temporalGrpcAddress: written(frontends),
    host: at.host,
    port: at.port,
    enableUi: true,
    defaultNamespace: 'default',
    // Nothing here asks others whether there is a newer one.
    notifyOnNewVersion: false,
    cors: { allowOrigins: [] },
    ...READ_ONLY,
    ...(codecEndpoint !== undefined && { codec: { endpoint: codecEndpoint } }),
  })
  return {
    name: 'Temporal UI',
    command: program,
    args: ['--root', configFolder, '--config', '.', '--env', 'ui', 'start'],
    logFile: join(logFolder, 'temporal-ui.log'),
    ready: async () => void (await connectTo(at)).destroy(),
    readyTimeoutMs: 60_000,
    graceMs: 5_000,
  }
}
