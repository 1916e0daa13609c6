import { TestWorkflowEnvironment } from '@temporalio/testing'

/**
 * Makes Temporal's SDK download one of its two servers into a folder. The SDK offers the download only as
 * part of starting the server, so it is started and stopped once; a process of its own, because the SDK's
 * runtime cannot be taken down again.
 */
const [server, version, downloadDir] = process.argv.slice(2)
if (!version || !downloadDir || (server !== 'cli' && server !== 'time-skipping'))
  throw new Error('usage: sdk-download.ts cli|time-skipping VERSION FOLDER')

const executable = { type: 'cached-download', version, downloadDir } as const
const environment =
  server === 'cli'
    ? await TestWorkflowEnvironment.createLocal({ server: { executable } })
    : await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } })
await environment.teardown()
