import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker'

let quiet = false

/**
 * Keeps Temporal's log out of the test report: tests provoke failures by the dozen, and each would be a warning.
 * To be called before anything else of Temporal is used.
 */
export function quietTemporal(): void {
  if (quiet) return
  quiet = true
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    // By default a signal stops workers and nothing else, so that a benchmark went on after Ctrl-C.
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
  })
}
