// Looks at the task list of a feature the way a run would need it. Changes nothing.

import type { Diagnostic } from "../../core/schema/diagnostic.ts";
import type { Host } from "../../world/host/host.ts";
import { checkList } from "../../world/tasks/check-list.ts";
import { checkFeature } from "../../world/tasks/parse-prd.ts";
import { PrdFile } from "../../world/tasks/prd-file.ts";
import type { Project } from "./open-project.ts";

export function checkTasks(host: Host, project: Project): Diagnostic[] {
  const { tasks } = project.feature;
  const reading = new PrdFile(host, tasks.path, tasks.name).read();
  if (!reading.ok) return [...reading.error];
  const { text } = reading.value;
  return [
    ...checkFeature(text, tasks.name, project.feature.feature),
    ...checkList(reading.value.tasks, text, tasks.name),
  ];
}
