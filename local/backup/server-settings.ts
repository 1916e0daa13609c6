import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Files in which PostgreSQL reads its settings. */
const FILES = ['postgresql.conf', 'postgresql.auto.conf']
/** Settings by which a server runs a program or loads code, or reads such settings from elsewhere. */
const RUNS_SOMETHING =
  /_command$|_preload_libraries$|^(?:archive_library|dynamic_library_path|extension_control_path|jit_provider|hba_file|ident_file|data_directory|config_file)$|^include/

/**
 * Takes out of the settings of a PostgreSQL whatever has it run a program or load code, as none of ours needs. Answers the
 * lines that were taken out, with their files.
 */
export function dropCommands(postgres: string): string[] {
  return FILES.filter((name) => existsSync(join(postgres, name))).flatMap((name) => {
    const path = join(postgres, name)
    const lines = readFileSync(path, 'utf8').split('\n')
    const dropped = lines.filter((line) => RUNS_SOMETHING.test(settingIn(line)))
    if (dropped.length > 0)
      writeFileSync(path, lines.filter((line) => !dropped.includes(line)).join('\n'), { flush: true })
    return dropped.map((line) => `${name}: ${line.trim()}`)
  })
}

/** The name of the setting in a line, as PostgreSQL reads it; empty in a line without one. */
const settingIn = (line: string): string => (line.trimStart().split(/\W/, 1)[0] ?? '').toLowerCase()
