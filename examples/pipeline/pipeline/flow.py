"""What drives the plugins."""


class StageChain:
    def __init__(self, stages):
        self.stages = list(stages)

    def run_stages(self, record):
        for stage in self.stages:
            record = stage.apply(record)
            if record is None:
                return None
        return record


class Flow:
    def __init__(self, name):
        self.name = name

    def run(self):
        for record in self.records():
            try:
                result = self.run_stages(record)
            except KeyError as error:
                self.note(f"{self.name}: no field {error.args[0]}")
                continue
            self.count(kept=result is not None)
            if result is not None:
                self.write(result)
        return self.summary()
