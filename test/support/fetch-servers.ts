import { stopServers, temporalAddress, timeSkippingServerPath } from './servers.ts'

/**
 * Downloads or builds the servers that tests need and starts Temporal once, so that the first test to ask for
 * one does not wait for minutes. Run by `npm test -- servers`.
 */
try {
  console.log(`Temporal answers at ${await temporalAddress()}`)
  console.log(`The time-skipping server is ${await timeSkippingServerPath()}`)
} finally {
  await stopServers()
}
