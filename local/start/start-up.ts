import type { DemoCredentials } from './demo.ts'
import {
  migrateSchema,
  openDemoAccount,
  prepareWebApp,
  prepareWorkflowBundle,
  startApi,
  startPostgres,
  startTemporal,
  startVenue,
  type LocalRun,
  type WebAppAnswer,
} from './parts.ts'
import { runSteps, Step } from './steps.ts'

export type Started = {
  credentials: DemoCredentials
  isFirstStart: boolean
  /** Address of the mailbox while no mail server is set; null otherwise. */
  mailbox: string | null
  webApp: WebAppAnswer
}

/**
 * Starts every part once its dependencies are ready, and resolves when the API sees them. Parts stop in the opposite
 * order of their first start.
 */
export async function startEverything(run: LocalRun): Promise<Started> {
  const postgres = new Step('PostgreSQL', (report) => startPostgres(run, report))
  const schema = new Step('Schema', async (report) => migrateSchema(run, await postgres.outcome, report))
  const temporal = new Step('Temporal', (report) => startTemporal(run, report))
  const venue = new Step('Paper venue', (report) => startVenue(run, report))
  const bundle = new Step('Workflow bundle', (report) => prepareWorkflowBundle(run, report))
  const webApp = new Step('Web app', (report) => prepareWebApp(run, report))
  const demo = new Step('Demo account', async (report) => {
    const [databaseUrl, venueUrl] = await Promise.all([schema.outcome, venue.outcome])
    return openDemoAccount(run, { databaseUrl, venueUrl }, report)
  })
  const connections = async () => {
    const [databaseUrl, address, venueUrl] = await Promise.all([
      schema.outcome,
      temporal.outcome,
      venue.outcome,
    ])
    return { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: address, VENUE_URL: venueUrl }
  }
  const api = new Step('API', async (report) => {
    const [found, file] = await Promise.all([connections(), bundle.outcome, webApp.outcome])
    return startApi(run, { ...found, WORKFLOW_BUNDLE: file }, report)
  })

  const steps = [postgres, schema, temporal, venue, bundle, webApp, demo, api]
  await runSteps(steps, () => run.keeper.stop())
  const { credentials, isNew } = await demo.outcome
  return { credentials, isFirstStart: isNew, mailbox: await api.outcome, webApp: await webApp.outcome }
}
