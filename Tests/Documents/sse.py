def run(reachd, folder):
    return []
