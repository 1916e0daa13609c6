import { endRecordedProcesses } from './run-record.ts'

/** Stops, last started first, whatever the record of a run that is gone still names. */
const [recordFile] = process.argv.slice(2)
if (recordFile === undefined) throw new Error('usage: guardian.ts RECORD_FILE')
await endRecordedProcesses(recordFile)
